import type { Random } from '../base/random.ts';
import type { Demonstration } from './demonstrations.ts';

/**
 * `diverse`: a different call shape each time, commonest shapes first, short ones within a shape. `typical`: together they cover the words
 * that the train problems use most. `random`: any.
 */
export type ExampleChoice = 'diverse' | 'typical' | 'random';

/** At most `count` demonstrations of different groups. Fewer where there are fewer groups. Draws from `random`. */
export function chooseExamples(
  pool: readonly Demonstration[],
  count: number,
  choice: ExampleChoice,
  random: Random,
): Demonstration[] {
  const shuffled = random.shuffled(onePerGroup(pool, random));
  if (choice === 'diverse') return diverse(shuffled, count);
  if (choice === 'typical') return typical(withoutLong(shuffled, count), count);
  return withoutLong(shuffled, count).slice(0, count);
}

function onePerGroup(pool: readonly Demonstration[], random: Random): Demonstration[] {
  const seen = new Set<string>();
  return random.shuffled(pool).filter(({ group }) => !seen.has(group) && seen.add(group));
}

/** Without the longest fifth, where enough are left: long examples cost prompt tokens in every rollout. */
function withoutLong(pool: readonly Demonstration[], count: number): Demonstration[] {
  const limit = [...pool].sort((a, b) => a.length - b.length)[Math.floor(pool.length * 0.8)]?.length ?? 0;
  const short = pool.filter(({ length }) => length <= limit);
  return short.length >= count ? short : [...pool];
}

/** Round robin over call shapes, commonest first, so that a frequent shape is also shown most often. */
function diverse(pool: readonly Demonstration[], count: number): Demonstration[] {
  const byShape = new Map<string, Demonstration[]>();
  for (const demonstration of withoutLong(pool, count)) {
    byShape.set(demonstration.shape, [...(byShape.get(demonstration.shape) ?? []), demonstration]);
  }
  const shapes = [...byShape.values()].sort((a, b) => b.length - a.length).slice(0, Math.max(1, Math.ceil(count / 2)));
  const chosen: Demonstration[] = [];
  for (let round = 0; chosen.length < count; round++) {
    const before = chosen.length;
    for (const shape of shapes) {
      const next = shape[round];
      if (next !== undefined && chosen.length < count) chosen.push(next);
    }
    if (chosen.length === before) break;
  }
  return chosen;
}

const CANDIDATES_PER_PICK = 40;

/** Greedy cover: each pick adds the most weight of words not yet covered, per square root of its length. */
function typical(pool: readonly Demonstration[], count: number): Demonstration[] {
  const frequency = new Map<string, number>();
  for (const { problem } of pool)
    for (const word of wordsOf(problem)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const covered = new Map<string, number>();
  const rest = [...pool];
  const chosen: Demonstration[] = [];
  const gain = ({ problem, length }: Demonstration) =>
    [...wordsOf(problem)].reduce(
      (sum, word) => sum + (frequency.get(word) ?? 0) / (1 + (covered.get(word) ?? 0)) ** 2,
      0,
    ) / Math.sqrt(length);
  while (chosen.length < count && rest.length > 0) {
    const best = rest
      .slice(0, CANDIDATES_PER_PICK)
      .reduce((top, candidate) => (gain(candidate) > gain(top) ? candidate : top));
    rest.splice(rest.indexOf(best), 1);
    chosen.push(best);
    for (const word of wordsOf(best.problem)) covered.set(word, (covered.get(word) ?? 0) + 1);
  }
  return chosen;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{2,}/gu) ?? []);
}
