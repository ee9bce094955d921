import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterNearDuplicates, normaliseProblem } from './near-duplicates.ts';

const keysOf = (...problems: string[]) => clusterNearDuplicates(problems.map((problem) => ({ problem })));

describe('clusterNearDuplicates', () => {
  it('joins problems that differ in names, numbers and pronouns', () => {
    const [first, second] = keysOf(
      'Mara baked 12 loaves on Monday. She sold 5 of them. How many loaves does she still have?',
      'Otto baked 97 loaves on Friday. He sold 40 of them. How many loaves does he still have?',
    );
    expect(second).toBe(first);
  });

  it('joins a problem and its lower-case copy, although names cannot be told there', () => {
    const [first, second] = keysOf(
      'Josef had 14 pens. He gave 3 pens to Dorit. How many pens does Josef have left?',
      'josef had 14 pens. he gave 3 pens to dorit. how many pens does josef have left?',
    );
    expect(second).toBe(first);
  });

  it('keeps apart problems that share only the usual phrases', () => {
    const [first, second] = keysOf(
      'A train leaves with 80 people and 14 get off. How many people are on the train now?',
      'A baker needs 3 eggs for each of 12 cakes. How many eggs does the baker need in all?',
    );
    expect(second).not.toBe(first);
  });

  it('joins by chain, so that no near-copy straddles two clusters', () => {
    const words =
      'one long story about red kites over green hills in early spring with many friendly birds around'.split(' ');
    const variant = (from: number) => words.map((word, index) => (index < from ? `${word}s` : word)).join(' ');
    const keys = keysOf(...[0, 2, 4, 6, 8, 10].map(variant));
    expect(new Set(keys).size).toBe(1);
  });

  it('keeps items of a given group together, whatever their texts, and names the cluster after it', () => {
    const keys = clusterNearDuplicates([
      { problem: 'How tall is the tower?', group: 'g' },
      { problem: 'Which of these numbers is a prime?', group: 'g' },
      { problem: 'Convert seven miles to kilometers, please.' },
    ]);
    expect(keys.slice(0, 2)).toEqual(['g', 'g']);
    expect(keys[2]).not.toBe('g');
  });

  it('gives the same keys in every order of the items', () => {
    const sentence = fc
      .array(fc.constantFrom('red', 'blue', 'cat', 'dog', 'has', 'sees', '5', '7', 'Anna'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.uniqueArray(sentence, { maxLength: 15 }), fc.infiniteStream(fc.nat()), (problems, ranks) => {
        const keyOf = new Map(keysOf(...problems).map((key, index) => [problems[index], key]));
        const shuffled = problems
          .map((problem) => ({ problem, rank: ranks.next().value as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ problem }) => problem);
        expect(keysOf(...shuffled)).toEqual(shuffled.map((problem) => keyOf.get(problem)));
      }),
    );
  });

  it('finds exactly the pairs that comparing everything with everything finds', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const problem = fc.array(word, { minLength: 2, maxLength: 9 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(
        fc.array(problem, { minLength: 2, maxLength: 2 }),
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        (pair, threshold) => {
          const [left, right] = pair.map(pairsOf) as [Set<string>, Set<string>];
          const shared = [...left].filter((item) => right.has(item)).length;
          const isSimilar = shared / (left.size + right.size - shared) >= threshold;
          const [first, second] = clusterNearDuplicates(
            pair.map((text) => ({ problem: text })),
            threshold,
          );
          expect(first === second).toBe(isSimilar || pair[0] === pair[1]);
        },
      ),
    );
  });
});

function pairsOf(problem: string): Set<string> {
  const words = normaliseProblem(problem);
  if (words.length <= 2) return new Set([words.join(' ')]);
  return new Set(words.slice(1).map((word, index) => `${words[index]} ${word}`));
}

const MAWPS = '../shared/data/mawps-asdiv-train/data.jsonl';

describe.skipIf(!existsSync(MAWPS))(`near-duplicates of real data (needs ${MAWPS})`, () => {
  const rows = () =>
    readFileSync(MAWPS, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { problem: string; template: string });

  it('puts problems of one template into one cluster, and finds twins that the template does not tell', () => {
    const items = rows();
    const keys = clusterNearDuplicates(items.map(({ problem }) => ({ problem })));
    const clustersOf = Map.groupBy(items.keys(), (index) => items[index]?.template);
    const torn = [...clustersOf.values()].filter((members) => new Set(members.map((index) => keys[index])).size > 1);
    expect(torn.length).toBeLessThan(5);
    const sizes = [...Map.groupBy(keys, (key) => key).values()].map(({ length }) => length);
    expect(sizes.length).toBeGreaterThan(1400);
    expect(sizes.length).toBeLessThan(1900);
    expect(Math.max(...sizes)).toBeLessThan(items.length * 0.05);
  });
});
