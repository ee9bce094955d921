import { describe, expect, it } from 'vitest';
import { averageAtK } from './average-at-k.ts';
import { wilsonInterval } from './wilson.ts';

const rows = (...tasks: (boolean | null)[][]) =>
  tasks.flatMap((repeats, task) => repeats.map((passed) => ({ task: `t${task}`, passed })));

describe('averageAtK', () => {
  it('counts a task once, however often it was repeated', () => {
    const average = averageAtK(rows([true, true, true, true], [false], [true, false], [false, false]));
    expect(average).toMatchObject({ mean: 1.5 / 4, tasks: 4, passedOnce: 2 });
  });

  it('has the width of its tasks, not of its rollouts', () => {
    const often = averageAtK(rows(...Array.from({ length: 30 }, (_, task) => Array(16).fill(task < 12))));
    expect(often).toMatchObject(wilsonInterval(12, 30));
  });

  it('leaves unscored repeats out and is undefined without a scored one', () => {
    expect(averageAtK(rows([true, null], [null]))).toMatchObject({ mean: 1, tasks: 1 });
    expect(averageAtK(rows([null]))).toBeUndefined();
  });

  it('says something where nothing passed', () => {
    expect(averageAtK(rows(...Array(30).fill([false, false])))).toMatchObject({ mean: 0, low: 0 });
    expect(averageAtK(rows(...Array(30).fill([false, false])))?.high).toBeGreaterThan(0.08);
  });

  it('stays within [0, 1] whatever sums of thirds round to', () => {
    const thirds = averageAtK(rows(...Array.from({ length: 49 }, () => [true, true, true])));
    expect(thirds).toMatchObject({ mean: 1, high: 1 });
  });
});
