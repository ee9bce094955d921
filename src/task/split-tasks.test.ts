import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { splitTasks } from './split-tasks.ts';
import { SPLITS, type TaskRow, type TaskSplits } from './task.ts';

/** Groups of the given sizes, with texts that no clustering would join. */
function rowsOf(...groupSizes: number[]): TaskRow[] {
  return groupSizes.flatMap((size, group) =>
    Array.from({ length: size }, (_, member) => ({
      id: `g${group}-${member}`,
      problem: wordsOf(group, member),
      answer: group * 1000 + member,
      group: `g${group}`,
      reference: { calls: [], text: String(member) },
    })),
  );
}

/** Twelve words that no other pair of numbers gives. */
function wordsOf(...numbers: number[]): string {
  const letters = contentHash(numbers).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 16)));
  return (letters.slice(0, 60).match(/.{5}/g) ?? []).join(' ');
}

const idsOf = (splits: TaskSplits) => SPLITS.map((split) => splits[split].map(({ id }) => id));

describe('splitTasks', () => {
  it('gives each split its size from whole groups', () => {
    const { splits, unused } = splitTasks(rowsOf(...Array(60).fill(2)), { train: 50, gate: 20, test: 10, seed: 1 });
    expect(SPLITS.map((split) => splits[split].length)).toEqual([50, 20, 10]);
    expect(unused).toBe(40);
  });

  it('never puts members of one group into two splits, whatever sizes, seed and order', () => {
    const groupSizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 12, maxLength: 40 });
    fc.assert(
      fc.property(groupSizes, fc.integer(), fc.integer({ min: 1, max: 3 }), (sizes, seed, wanted) => {
        const { splits } = splitTasks(rowsOf(...sizes), { train: null, gate: wanted, test: wanted, seed });
        const groups = SPLITS.map((split) => new Set(splits[split].map(({ group }) => group)));
        const [train, gate, test] = groups as [Set<string>, Set<string>, Set<string>];
        expect([gate.isDisjointFrom(train), gate.isDisjointFrom(test), train.isDisjointFrom(test)]).toEqual([
          true,
          true,
          true,
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('gives the same splits for every order of the rows and for renamed ids and groups', () => {
    const rows = rowsOf(...Array(30).fill(3));
    const sizes = { train: 30, gate: 15, test: 12, seed: 5 };
    const hashesOf = (given: TaskRow[]) =>
      SPLITS.map((split) => splitTasks(given, sizes).splits[split].map(({ hash }) => hash));
    const expected = hashesOf(rows);
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length }), (shuffled) => {
        const renamed = shuffled.map((row, index) => ({ ...row, id: `n${index}`, group: `other-${row.group}` }));
        expect(hashesOf(renamed)).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  it('draws another split for another seed', () => {
    const rows = rowsOf(...Array(40).fill(1));
    const ofSeed = (seed: number) => idsOf(splitTasks(rows, { train: 20, gate: 10, test: 10, seed }).splits);
    expect(ofSeed(2)).not.toEqual(ofSeed(1));
  });

  it('keeps the sealed test where it is when only the sizes of the other splits change', () => {
    const rows = rowsOf(...Array(80).fill(2));
    const testOf = (train: number | null, gate: number) =>
      splitTasks(rows, { train, gate, test: 20, seed: 3 }).splits.test.map(({ id }) => id);
    expect(testOf(40, 10)).toEqual(testOf(null, 40));
  });

  it('draws a split from many groups where groups are large', () => {
    const { groups } = splitTasks(rowsOf(...Array(40).fill(25)), { train: null, gate: 40, test: 20, seed: 1 });
    expect(groups.test).toBe(10);
    expect(groups.gate).toBe(12);
  });

  it('orders a split so that its first tasks come from different groups', () => {
    const { splits, groups } = splitTasks(rowsOf(...Array(40).fill(5)), { train: null, gate: 40, test: 30, seed: 1 });
    expect(new Set(splits.test.slice(0, groups.test).map(({ group }) => group)).size).toBe(groups.test);
  });

  it('keeps a giant group for train when train is the rest, and lets no row vanish in a split that is full', () => {
    const rows = rowsOf(160, ...Array(120).fill(1));
    const results = [1, 2, 3, 4].map((seed) => splitTasks(rows, { train: null, gate: 40, test: 20, seed }));
    expect(results.map(({ splits, unused }) => [splits.train.length, unused])).toEqual(Array(4).fill([220, 0]));
  });

  it('lets a giant group end in the largest split instead of filling a small one', () => {
    const { splits } = splitTasks(rowsOf(90, 5, 5), { train: 80, gate: 4, test: 4, seed: 1 });
    expect(new Set(splits.train.map(({ group }) => group))).toEqual(new Set(['g0']));
  });

  it('takes shares of the distinct tasks as sizes', () => {
    const { splits } = splitTasks(rowsOf(...Array(100).fill(1)), { train: 0.6, gate: 0.2, test: 0.2, seed: 1 });
    expect(SPLITS.map((split) => splits[split].length)).toEqual([60, 20, 20]);
  });

  it('stays below a share where whole groups do not fit it', () => {
    const { splits } = splitTasks(rowsOf(...Array(14).fill(7)), { train: 0.6, gate: 0.2, test: 0.2, seed: 1 });
    expect(SPLITS.map((split) => splits[split].length)).toEqual([58, 14, 19]);
  });

  it('keeps one of several copies of the same content and counts the others', () => {
    const rows = rowsOf(...Array(20).fill(1));
    const copy = { ...(rows[0] as TaskRow), id: 'copy', group: 'elsewhere' };
    const { splits, copies } = splitTasks([...rows, copy], { train: null, gate: 4, test: 4, seed: 1 });
    expect(copies).toBe(1);
    expect(idsOf(splits).flat()).toHaveLength(20);
  });

  it('takes reference solutions away from gate and test tasks', () => {
    const { splits } = splitTasks(rowsOf(...Array(20).fill(1)), { train: null, gate: 4, test: 4, seed: 1 });
    expect(splits.train.every(({ reference }) => reference !== undefined)).toBe(true);
    expect([...splits.gate, ...splits.test].some((task) => 'reference' in task)).toBe(false);
  });

  it('says what would be needed where a split cannot be filled', () => {
    expect(() => splitTasks(rowsOf(3, 3), { train: 4, gate: 2, test: 2, seed: 1 })).toThrow(
      /gate split gets 0 tasks, 2 needed|6 distinct tasks in 2 groups/,
    );
    expect(() => splitTasks([], { train: null, gate: 1, test: 1, seed: 1 })).toThrow(/0 distinct tasks/);
  });

  it('refuses sizes that are neither counts nor shares', () => {
    const rows = rowsOf(...Array(20).fill(1));
    for (const sizes of [
      { train: 0.5, gate: 3, test: 0.2 },
      { train: null, gate: 0, test: 4 },
      { train: 0.6, gate: 0.3, test: 0.2 },
    ]) {
      expect(() => splitTasks(rows, { ...sizes, seed: 1 })).toThrow(
        expect.objectContaining({ code: 'invalid-split-sizes' }),
      );
    }
  });
});
