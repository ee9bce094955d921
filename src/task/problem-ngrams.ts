import type { Task } from './task.ts';

/** Words in a row that give a problem away by themselves, and that do so beside its answer. */
const PROBLEM_WORDS = 8;
const ANSWERED_WORDS = 5;

export interface Leak {
  /** Id of the task that the text gives away. */
  task: string;
  why: 'id' | 'problem' | 'problem-with-answer';
  /** The words of the text that show it. */
  quote: string;
}

type ScannedTask = Pick<Task, 'id' | 'problem' | 'answer'>;

/**
 * Finds the tasks of `hidden` (gate and test) that a text gives away: it names the id; or it holds 8 words in a row of
 * the problem (all words of a shorter one); or it holds 5 words in a row and, as a word of its own, the answer. Case
 * and punctuation play no part; numbers are words.
 *
 * Wording that a problem of `open` (train) holds too is no evidence: between unrelated problems of one kind, phrases
 * such as "how many … does he have in all" are common (of 300 MAWPS/ASDiv problems 4% share 8 words with one of 600
 * from other clusters, 5% share 5 words and hold its answer). Ids without both a letter and a digit, or shorter than 4
 * characters, are not looked for: they stand in any text. At most one leak per task, in the order of `hidden`.
 */
export function leakScanner(
  hidden: readonly ScannedTask[],
  open: readonly ScannedTask[] = [],
): (text: string) => Leak[] {
  const ordinary = new Set(
    open.flatMap(({ problem }) => [...gramsOf(problem, PROBLEM_WORDS), ...gramsOf(problem, ANSWERED_WORDS)]),
  );
  const telling = hidden.map((task) => ({
    task,
    whole: gramsOf(task.problem, PROBLEM_WORDS).filter((gram) => !ordinary.has(gram)),
    answered: gramsOf(task.problem, ANSWERED_WORDS).filter((gram) => !ordinary.has(gram)),
  }));
  return (text) => {
    const grams = new Set([...gramsUpTo(text, PROBLEM_WORDS)]);
    const words = new Set(wordsOf(text));
    return telling.flatMap(({ task, whole, answered }): Leak[] => {
      if (namesId(text, task.id)) return [{ task: task.id, why: 'id', quote: task.id }];
      const problemGram = whole.find((gram) => grams.has(gram));
      if (problemGram !== undefined) return [{ task: task.id, why: 'problem', quote: problemGram }];
      const answeredGram = holdsAnswer(words, task.answer) ? answered.find((gram) => grams.has(gram)) : undefined;
      return answeredGram === undefined ? [] : [{ task: task.id, why: 'problem-with-answer', quote: answeredGram }];
    });
  };
}

/** Whether a text gives one task away. For many texts or tasks use {@link leakScanner}. */
export function overlaps(text: string, task: ScannedTask): boolean {
  return leakScanner([task])(text).length > 0;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\d+(?:[.,]\d+)*|\p{L}+/gu) ?? [];
}

/** Runs of `length` words; a shorter text of at least 3 words is one run. */
function gramsOf(text: string, length: number): string[] {
  const words = wordsOf(text);
  if (words.length < 3) return [];
  return runsOf(words, Math.min(length, words.length));
}

/** Runs of every length that a hidden problem's runs can have. */
function gramsUpTo(text: string, length: number): string[] {
  const words = wordsOf(text);
  return Array.from({ length: length - 2 }, (_, index) => runsOf(words, index + 3)).flat();
}

function runsOf(words: readonly string[], length: number): string[] {
  const runs: string[] = [];
  for (let start = 0; start + length <= words.length; start++) runs.push(words.slice(start, start + length).join(' '));
  return runs;
}

function namesId(text: string, id: string): boolean {
  if (id.length < 4 || !/\d/.test(id) || !/\p{L}/u.test(id)) return false;
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    if (!/[\p{L}\d]$/u.test(text.slice(0, at)) && !/^[\p{L}\d]/u.test(text.slice(at + id.length))) return true;
  }
  return false;
}

function holdsAnswer(words: ReadonlySet<string>, answer: Task['answer']): boolean {
  if (typeof answer !== 'string' && typeof answer !== 'number') return false;
  const answerWords = wordsOf(String(answer));
  return answerWords.length > 0 && answerWords.every((word) => words.has(word));
}
