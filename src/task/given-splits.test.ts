import { describe, expect, it } from 'vitest';
import { givenSplits } from './given-splits.ts';
import type { TaskRow } from './task.ts';

const row = (id: string, problem: string): TaskRow => ({
  id,
  problem,
  answer: '1',
  reference: { calls: [], text: '1' },
});

const clean = {
  train: [
    row('a', 'How tall is the old tower by the river?'),
    row('b', 'Which of those numbers is the largest prime?'),
  ],
  gate: [row('c', 'Convert seven miles into kilometers for me.')],
  test: [row('d', 'A ship sails north at noon; when will it arrive?')],
};

describe('givenSplits', () => {
  it('keeps the lists in their order and seals the references of gate and test', () => {
    const { splits } = givenSplits(clean);
    expect(splits.train.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(splits.train[0]?.reference).toBeDefined();
    expect('reference' in (splits.test[0] as object)).toBe(false);
  });

  it('refuses near-copies in two splits and lists their ids by split', () => {
    const overlapping = { ...clean, test: [row('e', 'How tall is the old tower by the lake?')] };
    expect(() => givenSplits(overlapping)).toThrow(
      expect.objectContaining({ code: 'split-overlap', details: { ids: [['a', 'e']] } }),
    );
    expect(() => givenSplits(overlapping)).toThrow(/train: a \| test: e/);
  });

  it('refuses the same content in two splits, and one id in two splits', () => {
    const same = { ...clean, gate: [row('x', (clean.train[0] as TaskRow).problem)] };
    expect(() => givenSplits(same)).toThrow(expect.objectContaining({ code: 'split-overlap' }));
    const sameId = { ...clean, gate: [row('a', 'Convert seven miles into kilometers for me.')] };
    expect(() => givenSplits(sameId)).toThrow(
      expect.objectContaining({ code: 'duplicate-task-ids', details: { ids: ['a'] } }),
    );
  });

  it('keeps one of the copies inside a list, and refuses an empty list', () => {
    const copied = { ...clean, train: [...clean.train, row('z', (clean.train[0] as TaskRow).problem)] };
    const { splits, copies } = givenSplits(copied);
    expect([splits.train.length, copies]).toEqual([2, 1]);
    expect(() => givenSplits({ ...clean, gate: [] })).toThrow(expect.objectContaining({ code: 'split-too-small' }));
  });
});
