import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { perturbed, rewritten } from './answer-forms.fixture.ts';
import { checkAnswer, goldProblem } from './check-answer.ts';

/** 60,000 checks: seconds on a free core. */
const TIMEOUT_MS = 300_000;
const FILE = '../shared/data/math-test/data.jsonl';

interface Row {
  problem: string;
  answer: string;
}

function readRows(): Row[] {
  return readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

describe.skipIf(!existsSync(FILE))(`5,000 golds of real data (needs ${FILE})`, () => {
  const rows = existsSync(FILE) ? readRows() : [];
  const golds = [...new Set(rows.map(({ answer }) => answer))];

  it(
    'can use every gold, and finds each equal to itself under its own question, bare, boxed and stated',
    () => {
      expect(rows).toHaveLength(5_000);
      const failures = rows.flatMap(({ problem, answer }) => {
        const texts = [answer, `It is $\\boxed{${answer}}$.`, `The answer is $${answer}$.`];
        const verdicts = texts.map(
          (prediction) => checkAnswer({ prediction, gold: answer, question: problem }).verdict,
        );
        return goldProblem(answer) === null && verdicts.every((verdict) => verdict === 'equal')
          ? []
          : [{ answer, verdicts }];
      });
      expect(failures).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'finds every gold equal to its rewritten forms',
    () => {
      const kinds = new Set<string>();
      const failures = golds.flatMap((gold) =>
        rewritten(gold).flatMap(({ kind, text }) => {
          kinds.add(kind);
          const { verdict, why } = checkAnswer({ prediction: text, gold });
          return verdict === 'equal' ? [] : [{ gold, kind, text, verdict, why }];
        }),
      );
      expect(failures).toEqual([]);
      expect(kinds.size).toBeGreaterThanOrEqual(12);
    },
    TIMEOUT_MS,
  );

  it(
    'finds every gold different from its perturbed forms',
    () => {
      let count = 0;
      const failures = golds.flatMap((gold) =>
        perturbed(gold).flatMap(({ kind, text }) => {
          count++;
          const { verdict, why } = checkAnswer({ prediction: text, gold });
          return verdict === 'different' ? [] : [{ gold, kind, text, verdict, why }];
        }),
      );
      expect(failures).toEqual([]);
      expect(count).toBeGreaterThan(7_000);
    },
    TIMEOUT_MS,
  );

  it(
    'accepts hardly any gold for another task',
    () => {
      let accepted = 0;
      for (const [index, { answer }] of rows.entries()) {
        const other = (rows[(index + 1_237) % rows.length] as Row).answer;
        if (checkAnswer({ prediction: other, gold: answer }).verdict === 'equal') accepted++;
      }
      // Small integers recur in the file; that is all that may agree.
      expect(accepted / rows.length).toBeLessThan(0.04);
    },
    TIMEOUT_MS,
  );
});
