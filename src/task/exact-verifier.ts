import { canonicalJson, contentHash } from '../base/content-hash.ts';
import type { Task } from './task.ts';
import type { Verdict, Verifier } from './verifier.ts';

const CODE_VERSION = 1;

export interface ExactOptions {
  /** Compare without regard to case. */
  ignoreCase: boolean;
}

/**
 * Scores 1 when the final text is the answer, else 0. Text golds (strings, numbers, booleans): equal after Unicode NFC,
 * trimming and joining runs of white space. List, object and null golds: the final text must be JSON with equal content
 * (object keys in any order, lists in order). Nothing is extracted from longer text.
 */
export function exactVerifier({ ignoreCase }: ExactOptions): Verifier {
  return {
    version: contentHash({ kind: 'exact', ignoreCase, code: CODE_VERSION }),
    verify: async (task, answer) => judge(task, answer, ignoreCase),
  };
}

function judge(task: Task, answer: string | null, ignoreCase: boolean): Verdict {
  if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
  const extracted = normalise(answer, ignoreCase);
  const isText = task.answer === null || typeof task.answer !== 'object';
  const isCorrect = isText
    ? extracted === normalise(String(task.answer), ignoreCase)
    : canonicalOf(answer, ignoreCase) === foldCase(canonicalJson(task.answer), ignoreCase);
  return { kind: 'scored', score: isCorrect ? 1 : 0, extracted, why: isCorrect ? 'equal' : 'not equal' };
}

function normalise(text: string, ignoreCase: boolean): string {
  return foldCase(text.normalize('NFC').trim().replace(/\s+/gu, ' '), ignoreCase);
}

function foldCase(text: string, ignoreCase: boolean): string {
  return ignoreCase ? text.toLowerCase() : text;
}

function canonicalOf(text: string, ignoreCase: boolean): string | null {
  try {
    return foldCase(canonicalJson(JSON.parse(text)), ignoreCase);
  } catch {
    return null;
  }
}
