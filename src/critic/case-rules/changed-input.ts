import type { CaseRun } from '../cases/case.ts';
import { blameLoop, type CaseRule, type Clue, firstHook, quoteOf, stepsOf } from './case-rule.ts';

const MASKED =
  /\[(redacted|masked|removed|filtered|hidden|pii|email|phone|number|name)\]|<(redacted|masked|removed|filtered|hidden)>|\*{4,}|█{2,}|#{5,}/i;

/** What the model was shown is not what was asked: masked, or without the values that the task holds. */
export const changedInput: CaseRule = {
  name: 'changed-input',
  clues: ({ failing, facts }) => {
    const hook = firstHook(facts);
    return failing.slice(0, 3).flatMap((run): Clue[] => {
      const masked = stepsOf(run, 'user', 'tool').find(({ content }) => MASKED.test(content) && !MASKED.test(run.task));
      const lost = masked === undefined ? lostValue(run) : undefined;
      const step = masked ?? lost;
      if (step === undefined) return [];
      return [
        {
          ...blameLoop(hook, '/middleware'),
          mechanism: 'changed-before-the-model',
          explanation: 'What reached the model is not what was said: something on the way took it out.',
          weight: masked === undefined ? (hook === undefined ? 0.8 : 1.5) : 2.2,
          evidence: [quoteOf(step.event, step.content), quoteOf(`${run.place}/task`, run.task)],
        },
      ];
    });
  },
};

/** The first user step of a run whose task holds numbers that no step ever shows. */
function lostValue(run: CaseRun): CaseRun['steps'][number] | undefined {
  const values = run.task.match(/\b\d[\d.,:/-]*\d\b|\b\d{2,}\b/g) ?? [];
  const [first] = stepsOf(run, 'user');
  if (first === undefined || values.length === 0 || first.content.length < run.task.length / 2) return undefined;
  return values.every((value) => !run.steps.some(({ content }) => content.includes(value))) ? first : undefined;
}
