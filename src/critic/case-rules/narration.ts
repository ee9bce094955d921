import { addedInstruction, type CaseRule, type Clue, quoteOf, stepsOf } from './case-rule.ts';

const INVENTED = /^[^\S\n]*(observation|tool (output|result|response)|result|output|response)\s*:/im;

/** The reply tells of a call, or makes its result up, and no tool ever ran. */
export const narration: CaseRule = {
  name: 'narration',
  clues: (view) =>
    view.failing.slice(0, 3).flatMap((run): Clue[] => {
      const { facts } = view;
      if (facts.tools.length === 0) return [];
      const names = facts.tools.map(({ name }) => name);
      const replies = stepsOf(run, 'assistant');
      const invented = replies.find(({ content }) => INVENTED.test(content));
      const ran = run.steps.some(({ role }) => role === 'tool');
      const told =
        ran || replies.some(({ calls }) => calls.length > 0)
          ? undefined
          : replies.find(
              ({ content, calls }) =>
                calls.length === 0 &&
                !/[<{]/.test(content) &&
                (names.some((name) => content.includes(name)) ||
                  /\b(I (will|would|am going to|'ll) (call|use|look|search|check|query)|calling the|using the .{0,20}tool)\b/i.test(
                    content,
                  )),
            );
      const step = invented ?? told;
      if (step === undefined || invented?.hasNativeCalls) return [];
      return [
        {
          label: 'prompt_ambiguity',
          component: 'prompt',
          path: facts.prompts[0]?.path ?? '/prompt',
          mechanism: invented === undefined ? 'narrated-call' : 'invented-observation',
          explanation:
            invented === undefined
              ? 'The reply speaks of a call and makes none: the instructions do not say what a call is.'
              : 'The reply makes up what a tool would have said.',
          weight: 1.4,
          evidence: [quoteOf(step.event, step.content)],
          repair: addedInstruction(
            view,
            'To use a tool, make the call and stop; wait for its result before you go on.',
          ),
        },
      ];
    }),
};
