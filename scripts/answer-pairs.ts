/**
 * Pairs of a prediction and a gold with the answer checker's verdict, for comparison with another checker:
 *
 *     npx node scripts/answer-pairs.ts --golds TASKS.jsonl --pairs 2000 --out pairs.jsonl
 *     python scripts/compare-math-verify.py pairs.jsonl        (needs: pip install math-verify)
 *
 * Half of the pairs are rewritten forms of a gold, a quarter perturbed forms, a quarter golds of other tasks. Integers are drawn no more than other golds.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readJsonLines } from '../src/base/json.ts';
import { seededRandom } from '../src/base/random.ts';
import { type Form, perturbed, rewritten } from '../src/task/answer-equivalence/answer-forms.fixture.ts';
import { checkAnswer } from '../src/task/answer-equivalence/check-answer.ts';

const { values: options } = parseArgs({
  options: {
    golds: { type: 'string' },
    pairs: { type: 'string', default: '2000' },
    out: { type: 'string', default: 'pairs.jsonl' },
    seed: { type: 'string', default: '1' },
  },
});
if (options.golds === undefined) throw new Error('Give --golds FILE.jsonl with an `answer` in every row.');

const rows = await readJsonLines(z.looseObject({ answer: z.string() }), options.golds);
const golds = [...new Set(rows.map(({ answer }) => answer))];
const random = seededRandom(Number(options.seed));
const total = Number(options.pairs);

/** Forms that other checkers cannot be asked about: they have no extraction of a statement. */
const OURS_ALONE = new Set(['stated']);

function drawn(forms: (gold: string) => Form[], count: number) {
  const all = golds
    .flatMap((gold) => forms(gold).map((form) => ({ gold, ...form })))
    .filter(({ kind }) => !OURS_ALONE.has(kind));
  const byKind = [...Map.groupBy(all, ({ kind }) => kind).values()].map((group) => random.shuffled(group));
  const picked: (typeof all)[number][] = [];
  for (let round = 0; picked.length < count; round++) {
    for (const group of byKind)
      if (group[round] !== undefined && picked.length < count) picked.push(group[round] as (typeof all)[number]);
  }
  return picked;
}

const others = (gold: string): Form[] =>
  [{ kind: 'other', text: golds[random.below(golds.length)] as string }].filter(({ text }) => text !== gold);
const pairs = [
  ...drawn(rewritten, total / 2).map((pair) => ({ ...pair, expected: true })),
  ...drawn(perturbed, total / 4).map((pair) => ({ ...pair, expected: false })),
  ...drawn(others, total / 4).map((pair) => ({ ...pair, expected: false })),
];
const lines = pairs.map(({ gold, kind, text, expected }, id) => {
  const { verdict, why } = checkAnswer({ prediction: text, gold });
  return JSON.stringify({ id, kind, pred: text, gold, expected, verdict, why });
});
writeFileSync(options.out, `${lines.join('\n')}\n`);
process.stdout.write(`${lines.length} pairs → ${options.out}\n`);
