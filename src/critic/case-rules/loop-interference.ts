import type { CaseStep } from '../cases/case.ts';
import { blameLoop, type CaseRule, type Clue, firstHook, quoteOf } from './case-rule.ts';

const INTERFERES =
  /\b(hook|middleware|filter|guard(rail)?|interceptor|post-?process(or|ing)?|pre-?process(or|ing)?|sanitizer|validator|rewriter|router|dispatcher|loop|runtime|harness|scheduler|orchestrator)\b[^.\n]{0,60}\b(removed|stripped|dropped|blocked|rewrote|rewritten|replaced|changed|modified|injected|failed|skipped|swallowed|suppressed|cut|escaped|reordered|ignored|aborted|raised|crashed|ended|stopped|intercepted|overwrote|lower-?cased|trimmed)\b/i;

/** The loop itself says that it changed, blocked or lost something. */
export const loopInterference: CaseRule = {
  name: 'loop-interference',
  clues: ({ failing, facts }) => {
    const steps = failing
      .flatMap((run) => [
        ...run.steps
          .filter(({ role }) => role === 'note' || role === 'tool')
          .map(({ event, content }) => ({ event, content })),
        { event: `${run.place}/outcome`, content: run.outcome },
      ])
      .filter(({ content }) => INTERFERES.test(content.slice(0, 1_500)));
    const [first] = steps;
    if (first === undefined) return [];
    const clue: Clue = {
      ...blameLoop(firstHook(facts), '/middleware'),
      mechanism: 'loop-interferes',
      explanation: 'The loop changed or blocked what passed through it.',
      weight: 2.2,
      evidence: steps.slice(0, 3).map(({ event, content }) => quoteOf(event, content)),
    };
    return [clue];
  },
};

/** What a tool was given, or what the model was shown, is not what was written: something between them changed it. */
export const changedInPassing: CaseRule = {
  name: 'changed-in-passing',
  clues: ({ failing, facts }) => {
    const hook = firstHook(facts);
    if (hook === undefined) return [];
    return failing.slice(0, 3).flatMap((run): Clue[] => {
      const echo = run.steps.find((step, index) => isChangedEcho(step, run.steps[index - 1]));
      if (echo === undefined) return [];
      return [
        {
          ...blameLoop(hook, hook.path),
          mechanism: 'changed-in-passing',
          explanation: 'The tool answers to other arguments than the model gave.',
          weight: 3.4,
          evidence: [quoteOf(echo.event, echo.content)],
        },
      ];
    });
  },
};

/** A tool echoes a text argument that differs from the given one in case, length or marks only. */
function isChangedEcho(step: CaseStep, before: CaseStep | undefined): boolean {
  if (step.role !== 'tool' || before?.role !== 'assistant') return false;
  const given = before.calls
    .flatMap(({ arguments: values }) => Object.values(values))
    .filter((value) => typeof value === 'string' && plain(value).length >= 3);
  return given.some((value) => {
    const text = String(value);
    if (step.content.includes(text)) return false;
    const words = step.content.split(/[\s"'`]+/);
    return (
      words.some((word) => word !== text && plain(word) === plain(text)) ||
      (text.length >= 12 &&
        (step.content.toLowerCase().includes(text.toLowerCase()) ||
          step.content.includes(`"${text.slice(0, Math.floor(text.length * 0.6))}"`)))
    );
  });
}

/** A text without case and marks. */
function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
