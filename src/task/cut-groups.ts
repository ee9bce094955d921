import type { Task } from './task.ts';

/**
 * Takes whole near-duplicate groups off the end, until `taken` holds at least `count` tasks or nothing is left; both halves keep the order of the tasks, those
 * of a group side by side.
 */
export function cutGroups(tasks: readonly Task[], count: number): { rest: Task[]; taken: Task[] } {
  const groups = [...Map.groupBy(tasks, ({ group }) => group).values()];
  let first = groups.length;
  for (let size = 0; first > 0 && size < count; ) size += groups[--first]?.length ?? 0;
  return { rest: groups.slice(0, first).flat(), taken: groups.slice(first).flat() };
}
