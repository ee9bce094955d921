import { nearest } from '../../base/nearest.ts';
import { type CaseRule, type Clue, quoteOf } from './case-rule.ts';

const NO_SUCH_TOOL =
  /\b(no such|unknown|unsupported|unregistered|undefined|invalid|nonexistent) (tool|function|action|command)\b|\b(tool|function|action)\b[^.\n]{0,60}\b(not found|does not exist|doesn['’]t exist|not available|not registered|is not defined|not (in|among) )/i;

/** Calls of a tool that is not offered, or that the loop says it does not know. */
export const unknownToolCall: CaseRule = {
  name: 'unknown-tool-call',
  clues: ({ failing, facts }) => {
    const names = facts.tools.map(({ name }) => name);
    return failing.slice(0, 3).flatMap((run): Clue[] => {
      const refused = run.steps.find(
        ({ role, content }) => (role === 'tool' || role === 'note') && NO_SUCH_TOOL.test(content.slice(0, 1_000)),
      );
      const called = run.steps.find(({ calls }) => names.length > 0 && calls.some(({ tool }) => !names.includes(tool)));
      const step = refused ?? called;
      if (step === undefined) return [];
      const name = called?.calls.find(({ tool }) => !names.includes(tool))?.tool ?? '';
      const near = nearest(name, names);
      const promptNames = facts.prompts.some(({ text }) => name !== '' && text.includes(name));
      return [
        {
          label: 'tool_schema_error',
          component: 'tool',
          path: '/tools',
          mechanism: 'tool-not-offered',
          explanation: `${name === '' ? 'A tool' : `"${name}"`} was called, and no such tool is offered.`,
          weight: promptNames || near !== undefined ? 2.2 : refused === undefined ? 1 : 1.6,
          evidence: [quoteOf(step.event, step.content || JSON.stringify(step.calls))],
          repair:
            near === undefined
              ? null
              : [{ path: facts.tools.find((tool) => tool.name === near)?.path ?? '/tools', old: near, new: name }],
        },
      ];
    });
  },
};
