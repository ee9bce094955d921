import { describe, expect, it } from 'vitest';
import { cutGroups } from './cut-groups.ts';
import { type Task, taskHash } from './task.ts';

const task = (id: string, group: string): Task => {
  const row = { problem: id, answer: '1' };
  return { ...row, id, group, hash: taskHash(row) };
};
const tasks = [task('a1', 'a'), task('b1', 'b'), task('a2', 'a'), task('c1', 'c')];
const ids = (some: readonly Task[]) => some.map(({ id }) => id);
const cut = (count: number) => {
  const { rest, taken } = cutGroups(tasks, count);
  return [ids(rest), ids(taken)];
};

describe('cutGroups', () => {
  it('leaves everything where nothing is asked for', () => expect(cut(0)).toEqual([['a1', 'a2', 'b1', 'c1'], []]));

  it('takes no more groups than hold the count', () => {
    expect(cut(1)).toEqual([['a1', 'a2', 'b1'], ['c1']]);
    expect(cut(2)).toEqual([
      ['a1', 'a2'],
      ['b1', 'c1'],
    ]);
  });

  it('takes a whole group where a part of it would do', () => {
    expect(cut(3)).toEqual([[], ['a1', 'a2', 'b1', 'c1']]);
  });

  it('takes what there is where more is asked for', () => expect(cut(9)[0]).toEqual([]));
});
