import type { TaskRow } from './task.ts';

/** Tasks that a model may have met in its training data. Dates are YYYY, YYYY-MM or YYYY-MM-DD. */
export interface Contamination {
  /** Tasks that were public when the weights were released. */
  tasks: number;
  /** All tasks. */
  of: number;
  /** Of those tasks, the first and the last date of publication. */
  from: string;
  to: string;
  /** When the weights were released. */
  released: string;
}

/**
 * Which of `tasks` were public when the weights were released: nobody outside can rule out that they were trained on. Null where none is known to be, which also
 * holds for tasks without `publishedOn` and without `released`. Dates are compared as far as both are known; the same month counts. Pure.
 */
export function possiblySeen(
  tasks: readonly Pick<TaskRow, 'publishedOn'>[],
  released: string | undefined,
): Contamination | null {
  if (released === undefined) return null;
  const dates = tasks
    .flatMap(({ publishedOn }) => (publishedOn !== undefined && isNotAfter(publishedOn, released) ? [publishedOn] : []))
    .sort();
  const [from, to] = [dates[0], dates.at(-1)];
  if (from === undefined || to === undefined) return null;
  return { tasks: dates.length, of: tasks.length, from, to, released };
}

function isNotAfter(date: string, other: string): boolean {
  const length = Math.min(date.length, other.length);
  return date.slice(0, length) <= other.slice(0, length);
}

/** One sentence for people; `what` names the tasks, e.g. "test tasks". */
export function contaminationText({ tasks, of, from, to, released }: Contamination, what: string): string {
  const when = from === to ? `in ${from}` : `from ${from} to ${to}`;
  return (
    `${tasks} of ${of} ${what} were published ${when}, the weights in ${released}: they may have been trained on them. Read absolute scores on them with ` +
    'care; differences between pairs of the same base weights are touched less.'
  );
}
