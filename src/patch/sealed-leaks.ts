import type { Task, TaskSplits } from '../task/task.ts';

const RUN_WORDS = 5;
/** A text that holds this share of a sealed problem's word runs holds the problem. */
const PROBLEM_SHARE = 0.5;
/** With the answer in the same text a smaller part is enough. */
const PROBLEM_SHARE_BESIDE_ANSWER = 0.3;
/** Shorter ids and answers turn up anywhere. */
const SHORTEST_ID = 6;

export interface Leak {
  split: 'gate' | 'test';
  taskId: string;
  /** One phrase: what of the task stands in the text. */
  what: string;
}

interface SealedIndex {
  tasks: { task: Task; split: 'gate' | 'test'; runs: number }[];
  /** Word run → positions in `tasks`. */
  byRun: Map<string, number[]>;
}

const indexes = new WeakMap<TaskSplits, SealedIndex>();

/**
 * The first task of `gate` or `test` that `text` gives away: its id, or a good part of its problem (less of it when the answer stands there too).
 * Numbers and words are compared without case and punctuation. Near-copies never straddle splits, so train problems do not match. Null: none.
 */
export function sealedLeak(text: string, splits: TaskSplits): Leak | null {
  const index = indexes.get(splits) ?? indexOf(splits);
  indexes.set(splits, index);
  const found = new Map<number, number>();
  for (const run of new Set(wordRuns(text))) for (const position of index.byRun.get(run) ?? []) found.set(position, (found.get(position) ?? 0) + 1);
  for (const [position, count] of found) {
    const entry = index.tasks[position];
    if (entry === undefined) continue;
    const share = count / entry.runs;
    const isAnswered = share >= PROBLEM_SHARE_BESIDE_ANSWER && holdsAnswer(text, entry.task);
    if (share < PROBLEM_SHARE && !isAnswered) continue;
    const what = `${Math.round(share * 100)}% of its problem${isAnswered ? ' and its answer' : ''}`;
    return { split: entry.split, taskId: entry.task.id, what };
  }
  for (const { task, split } of index.tasks) {
    if (task.id.length >= SHORTEST_ID && holdsWord(text, task.id)) return { split, taskId: task.id, what: 'its id' };
    if (text.includes(task.hash)) return { split, taskId: task.id, what: 'its hash' };
  }
  return null;
}

function indexOf(splits: TaskSplits): SealedIndex {
  const tasks = (['gate', 'test'] as const).flatMap((split) =>
    splits[split].map((task) => ({ task, split, runs: new Set(wordRuns(task.problem)) })),
  );
  const byRun = new Map<string, number[]>();
  tasks.forEach(({ runs }, position) => {
    for (const run of runs) byRun.set(run, [...(byRun.get(run) ?? []), position]);
  });
  return { tasks: tasks.map(({ task, split, runs }) => ({ task, split, runs: runs.size })), byRun };
}

/** Runs of 5 words; a shorter text is one run. */
function wordRuns(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length <= RUN_WORDS) return words.length === 0 ? [] : [words.join(' ')];
  return words.slice(RUN_WORDS - 1).map((_, index) => words.slice(index, index + RUN_WORDS).join(' '));
}

function holdsAnswer(text: string, { answer }: Task): boolean {
  if (typeof answer !== 'string' && typeof answer !== 'number') return text.includes(JSON.stringify(answer));
  return String(answer).trim() !== '' && holdsWord(text, String(answer).trim());
}

function holdsWord(text: string, word: string): boolean {
  return text.includes(word) && new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}(?![\\p{L}\\p{N}])`, 'u').test(text);
}
