import type { Interval } from './interval.ts';
import { wilsonInterval } from './wilson.ts';

export interface AverageAtK extends Interval {
  /** Mean over tasks of the share of a task's scored repeats that passed, in [0, 1]. */
  mean: number;
  /** Tasks with a scored repeat. */
  tasks: number;
  /** Tasks that passed in one repeat at least. */
  passedOnce: number;
}

/**
 * avg@k: tasks are the unit, because repeats of one task share its difficulty. A task counts once with its share; the Wilson interval over tasks
 * treats that share as a fraction of one trial, which is on the safe side, since a mean varies less than a single trial, and says something
 * at 0 and at 1 too. `rows` in any order, null = unscored, left out. Undefined without a scored row.
 */
export function averageAtK(
  rows: Iterable<{ task: string; passed: boolean | null }>,
  level = 0.95,
): AverageAtK | undefined {
  const byTask = new Map<string, { passed: number; scored: number }>();
  for (const { task, passed } of rows) {
    if (passed === null) continue;
    const entry = byTask.get(task) ?? { passed: 0, scored: 0 };
    byTask.set(task, { passed: entry.passed + Number(passed), scored: entry.scored + 1 });
  }
  if (byTask.size === 0) return undefined;
  const counts = [...byTask.values()];
  const sum = counts.reduce((total, { passed, scored }) => total + passed / scored, 0);
  // Rounding must not lift a sum of shares above the number of tasks.
  const successes = Math.min(sum, counts.length);
  return {
    mean: successes / counts.length,
    ...wilsonInterval(successes, counts.length, level),
    tasks: counts.length,
    passedOnce: counts.filter(({ passed }) => passed > 0).length,
  };
}
