import { contentHash } from '../base/content-hash.ts';
import { outsideThinking } from './answer-equivalence/extract-answer.ts';
import type { Task } from './task.ts';
import { unmatchedRow } from './unmatched-row.ts';
import type { Verdict, Verifier } from './verifier.ts';

const CODE_VERSION = 1;
const MOST_CHARACTERS = 1_000_000;

export interface JsonOptions {
  /** The gold states what must hold: objects may have further keys, at every depth. */
  partial: boolean;
  /** Lists are compared without regard to order, each item with a partner of its own. */
  unordered: boolean;
  /** Relative difference that numbers may have, ≥ 0. */
  tolerance: number;
}

/**
 * Scores 1 when the JSON in the final text is the gold, or for `partial` holds it (a check of a state), else 0. The JSON is the whole text or the last fenced block, outside
 * thinking. Numbers by value within `tolerance`; text, booleans and null exactly. `why` names the first place that differs as a JSON pointer.
 */
export function jsonVerifier(options: JsonOptions): Verifier {
  return {
    version: contentHash({ kind: 'json', ...options, code: CODE_VERSION }),
    verify: async (task, answer) => judge(task, answer, options),
  };
}

function judge(task: Task, answer: string | null, options: JsonOptions): Verdict {
  if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
  const found = jsonIn(answer);
  if (found === null) return { kind: 'scored', score: 0, extracted: null, why: 'the final answer holds no JSON' };
  const problem = mismatch(task.answer, found.value, '', options);
  return {
    kind: 'scored',
    score: problem === null ? 1 : 0,
    extracted: found.text,
    why: problem ?? 'the expected values',
  };
}

function jsonIn(answer: string): { value: unknown; text: string } | null {
  const visible = outsideThinking(answer)?.trim() ?? '';
  if (visible.length > MOST_CHARACTERS) return null;
  const whole = parsed(visible);
  if (whole !== null) return whole;
  const close = visible.lastIndexOf('```');
  const open = close <= 0 ? -1 : visible.lastIndexOf('```', close - 1);
  return open < 0 ? null : parsed(visible.slice(open + 3, close).replace(/^\w*\s*/, ''));
}

function parsed(text: string): { value: unknown; text: string } | null {
  try {
    return { value: JSON.parse(text), text };
  } catch {
    return null;
  }
}

/** Where and how `value` is not what `gold` says; null where it is. As deep as the gold goes. */
function mismatch(gold: unknown, value: unknown, at: string, options: JsonOptions): string | null {
  const place = at === '' ? 'the value' : at;
  if (typeof gold === 'number') {
    const isNear = typeof value === 'number' && Math.abs(value - gold) <= options.tolerance * Math.abs(gold);
    return isNear ? null : `${place} is ${shown(value)}, expected ${gold}`;
  }
  if (Array.isArray(gold)) {
    if (!Array.isArray(value) || value.length !== gold.length)
      return `${place} is ${shown(value)}, expected ${gold.length} items`;
    return options.unordered
      ? unorderedMismatch(gold, value, at, options)
      : firstOf(gold.map((item, index) => () => mismatch(item, value[index], `${at}/${index}`, options)));
  }
  if (gold !== null && typeof gold === 'object') return objectMismatch(gold, value, at, options);
  return value === gold ? null : `${place} is ${shown(value)}, expected ${shown(gold)}`;
}

function firstOf(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const problem = check();
    if (problem !== null) return problem;
  }
  return null;
}

function objectMismatch(gold: object, value: unknown, at: string, options: JsonOptions): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return `${at === '' ? 'the value' : at} is ${shown(value)}, expected an object`;
  const extra = options.partial ? undefined : Object.keys(value).find((key) => !Object.hasOwn(gold, key));
  if (extra !== undefined) return `${at}/${extra} is not expected`;
  const given = new Map(Object.entries(value));
  return firstOf(
    Object.entries(gold).map(
      ([key, wanted]) =>
        () =>
          given.has(key) ? mismatch(wanted, given.get(key), `${at}/${key}`, options) : `${at}/${key} is missing`,
    ),
  );
}

function unorderedMismatch(
  gold: readonly unknown[],
  value: readonly unknown[],
  at: string,
  options: JsonOptions,
): string | null {
  const isMatch = (row: number, column: number) => mismatch(gold[row], value[column], at, options) === null;
  const missing = unmatchedRow(gold.length, value.length, isMatch);
  return missing < 0 ? null : `${at}/${missing}: no item of its own equals ${shown(gold[missing])}`;
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);
}
