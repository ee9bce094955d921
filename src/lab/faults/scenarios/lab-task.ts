import { type Task, type TaskRow, taskHash } from '../../../task/task.ts';

/** A task of a lab scenario; its id is its group. */
export function labTask(row: Omit<TaskRow, 'group'>): Task {
  return { ...row, hash: taskHash(row), group: row.id };
}
