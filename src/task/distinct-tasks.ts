import type { ContentHash } from '../base/content-hash.ts';
import { clusterNearDuplicates } from './near-duplicates.ts';
import { type Task, type TaskRow, taskHash } from './task.ts';

export interface DistinctTasks {
  /** One task per content hash, sorted by hash. */
  tasks: Task[];
  /** Rows left out because another row has the same content. */
  copies: number;
}

/**
 * Rows → tasks with content hash and cluster. Of rows with the same content one is kept: the one with a reference
 * solution, then the one with the smallest id. Clusters are found over all rows, so that a copy joins the groups of
 * both its rows. Independent of row order. Pure.
 */
export function distinctTasks(rows: readonly TaskRow[]): DistinctTasks {
  const clusters = clusterNearDuplicates(rows);
  const byHash = new Map<ContentHash, Task>();
  rows.forEach((row, index) => {
    const task: Task = { ...row, hash: taskHash(row), group: clusters[index] as string };
    const known = byHash.get(task.hash);
    if (known === undefined || isBetterCopy(task, known)) byHash.set(task.hash, task);
  });
  const tasks = [...byHash.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  return { tasks, copies: rows.length - tasks.length };
}

function isBetterCopy(task: Task, known: Task): boolean {
  if ((task.reference === undefined) !== (known.reference === undefined)) return task.reference !== undefined;
  return task.id < known.id;
}

/**
 * Reference solutions are for `train` only: tasks of the other splits lose theirs, so that nothing can read it there.
 */
export function withoutReference(task: Task): Task {
  const { reference: _reference, ...rest } = task;
  return rest;
}
