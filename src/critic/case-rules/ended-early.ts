import { type ExpectedAnswer, expectedAnswer, finalReply } from '../cases/expected-answer.ts';
import { blameLoop, type CaseRule, type Clue, quoteOf } from './case-rule.ts';

const ENDING = [
  'stop',
  'end',
  'first',
  'direct',
  'return',
  'final',
  'finish',
  'exit',
  'early',
  'after',
  'max',
  'limit',
];

const FILTERING = [
  'filter',
  'filters',
  'output',
  'strip',
  'format',
  'post',
  'extract',
  'extraction',
  'extractor',
  'parse',
  'pick',
];

/** The loop ended, or changed, what the model was about to say: a run that stops on a tool's result, an outcome that is not what was replied. */
export const endedEarly: CaseRule = {
  name: 'ended-early',
  clues: ({ failing, facts }) =>
    failing.slice(0, 3).flatMap((run): Clue[] => {
      const settings = facts.settings.filter(({ component }) => component !== 'tool' && component !== 'memory');
      const last = run.steps.at(-1);
      const ends = settings.find(({ words, value }) => value !== false && words.some((word) => ENDING.includes(word)));
      const stopped =
        last?.role === 'tool' && !/\b(error|fail|timed? ?out|timeout|denied|[45]\d\d)\b/i.test(last.content)
          ? last
          : undefined;
      const wanted = expectedAnswer(run);
      const reply = finalReply(run);
      const changed = reply !== null && wanted !== null && isOtherOutcome(reply.content, wanted) ? reply : null;
      const filter = settings.find(
        ({ component, words }) => component === 'middleware' || words.some((word) => FILTERING.includes(word)),
      );
      if (changed !== null) {
        const evidence = [quoteOf(changed.event, changed.content), quoteOf(`${run.place}/outcome`, run.outcome)];
        return [
          {
            ...blameLoop(filter, '/middleware'),
            mechanism: 'changed-after-the-model',
            explanation: 'What came out is not what the model said: something on the way changed it.',
            weight: 2.4,
            evidence,
          },
        ];
      }
      if (stopped === undefined) return [];
      const place = blameLoop(ends, '/loop');
      return [
        {
          ...place,
          mechanism: 'ended-on-a-result',
          explanation: 'The run ends on a tool’s result, before the model could say anything of it.',
          weight: ends === undefined ? 1 : 1.5,
          evidence: [quoteOf(stopped.event, stopped.content)],
          repair:
            place.repair?.map((edit) => ({ ...edit, new: typeof edit.old === 'boolean' ? !edit.old : null })) ?? null,
        },
      ];
    }),
};

/** The reply holds what was wanted, and what is said to have come out does not. */
function isOtherOutcome(reply: string, { expected, got }: ExpectedAnswer): boolean {
  return got !== null && reply.includes(expected) && !got.includes(expected) && reply.trim() !== got;
}
