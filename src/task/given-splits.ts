import { CoHarnessError } from '../base/errors.ts';
import { distinctTasks, withoutReference } from './distinct-tasks.ts';
import type { SplitResult } from './split-tasks.ts';
import { SPLITS, type Split, type Task, type TaskRow, taskHash } from './task.ts';

/**
 * Splits that somebody made: three lists of rows. Copies inside one list are kept once and counted. Tasks keep the
 * order of their list; those of `gate` and `test` lose their reference solution.
 *
 * Throws CoHarnessError `split-overlap` that lists the ids when two splits share content or a cluster of near-copies,
 * `duplicate-task-ids` when one id stands in two splits, and `split-too-small` for an empty list.
 */
export function givenSplits(rows: Readonly<Record<Split, readonly TaskRow[]>>): SplitResult {
  for (const split of SPLITS) {
    if (rows[split].length === 0) {
      throw new CoHarnessError(
        'split-too-small',
        `The given ${split} split holds 0 tasks, at least 1 needed. Add tasks to its file.`,
        {
          details: { split, got: 0, needed: 1 },
        },
      );
    }
  }
  const all = SPLITS.flatMap((split) => rows[split].map((row) => ({ split, row })));
  refuseSharedIds(all);
  const located = locate(all);
  refuseOverlap(located);
  const kept = new Map(SPLITS.map((split) => [split, distinctOf(located.filter((entry) => entry.split === split))]));
  const tasksOf = (split: Split) => kept.get(split) as Task[];
  return {
    splits: {
      train: tasksOf('train'),
      gate: tasksOf('gate').map(withoutReference),
      test: tasksOf('test').map(withoutReference),
    },
    copies: all.length - SPLITS.reduce((sum, split) => sum + tasksOf(split).length, 0),
    unused: 0,
    groups: {
      train: new Set(tasksOf('train').map((task) => task.group)).size,
      gate: new Set(tasksOf('gate').map((task) => task.group)).size,
      test: new Set(tasksOf('test').map((task) => task.group)).size,
    },
  };
}

interface LocatedTask {
  split: Split;
  task: Task;
}

/** Every row as a task whose group is its cluster over all three lists together. */
function locate(all: readonly { split: Split; row: TaskRow }[]): LocatedTask[] {
  const known = new Map(distinctTasks(all.map(({ row }) => row)).tasks.map((task) => [task.hash, task.group]));
  return all.map(({ split, row }) => {
    const hash = taskHash(row);
    return { split, task: { ...row, hash, group: known.get(hash) as string } };
  });
}

function distinctOf(located: readonly LocatedTask[]): Task[] {
  const byHash = new Map<string, Task>();
  for (const { task } of located) if (!byHash.has(task.hash)) byHash.set(task.hash, task);
  return [...byHash.values()];
}

function refuseSharedIds(all: readonly { split: Split; row: TaskRow }[]): void {
  const counts = new Map<string, number>();
  for (const { row } of all) counts.set(row.id, (counts.get(row.id) ?? 0) + 1);
  const ids = [...counts].filter(([, count]) => count > 1).map(([id]) => id);
  if (ids.length === 0) return;
  throw new CoHarnessError(
    'duplicate-task-ids',
    `${ids.length} task ids stand more than once in the given splits: ${listed(ids)}. Give every task its own id.`,
    { details: { ids } },
  );
}

function refuseOverlap(located: readonly LocatedTask[]): void {
  const byGroup = Map.groupBy(located, ({ task }) => task.group);
  const straddling = [...byGroup.values()].filter((members) => new Set(members.map(({ split }) => split)).size > 1);
  if (straddling.length === 0) return;
  const shown = straddling.slice(0, 20).map((members) => {
    const sides = SPLITS.flatMap((split) => {
      const ids = members.filter((member) => member.split === split).map(({ task }) => task.id);
      return ids.length === 0 ? [] : [`${split}: ${listed(ids)}`];
    });
    return `  ${sides.join(' | ')}`;
  });
  const more = straddling.length > shown.length ? `\n  … and ${straddling.length - shown.length} more` : '';
  throw new CoHarnessError(
    'split-overlap',
    `${straddling.length} groups of copies or near-copies stand in more than one of the given splits:\n` +
      `${shown.join('\n')}${more}\nKeep each group in one split, or give one file and let co-harness split it.`,
    { details: { ids: straddling.map((members) => members.map(({ task }) => task.id)) } },
  );
}

function listed(ids: readonly string[]): string {
  return ids.length > 8 ? `${ids.slice(0, 8).join(', ')}, … (${ids.length})` : ids.join(', ');
}
