import { stepsOf } from '../case-rules/case-rule.ts';
import type { CaseRun } from './case.ts';

/** What the outcome says was wanted and what came, where it says so. */
export interface ExpectedAnswer {
  expected: string;
  got: string | null;
}

const PATTERNS: readonly RegExp[] = [
  /\b(?:expected|wanted|should (?:be|have been)|correct(?: answer)?(?: is| was)?|gold|reference|truth)\b(?: answer| value| output| result)?\s*(?:is|was|[:=])?\s*["'“`]?(.+?)["'”`]?\s*(?:[,;(]|\.(?:\s|$)|\bbut\b|\bgot\b|\band\b|\bwhile\b|$)(?:.*?\b(?:got|actual(?:ly)?|answered|returned|received|was given|agent (?:said|gave))\b\s*[:=]?\s*["'“`]?(.+?)["'”`]?\s*(?:[,;)]|\.(?:\s|$)|$))?/i,
  /\b(?:got|answered|returned|received)\b\s*[:=]?\s*["'“`]?(?<got>.+?)["'”`]?\s*(?:[,;(]|\binstead of\b)\s*(?:instead of|expected|wanted|not)?\s*[:=]?\s*["'“`]?(?<expected>.+?)["'”`]?\s*(?:[,;)]|\.(?:\s|$)|$)/i,
];

const EXPECTED = /\b(?:expected|wanted)(?:\s*:)?\s+/gi;
const GOT = /\b(?:but|got|while|instead|answered|returned|actual(?:ly)?)\b/i;

/** A list that ends the outcome: its commas are its own. A remark in brackets behind it is not part of it. */
function listAtEnd(outcome: string): string | null {
  for (const { index, 0: word } of outcome.matchAll(EXPECTED)) {
    const rest = outcome.slice(index + word.length);
    const list = rest
      .replace(/\.$/, '')
      .replace(/\([^()]*\)$/, '')
      .trim();
    if (list === '' || /[;()]/.test(list) || GOT.test(rest.split('\n', 1)[0] ?? '')) continue;
    return list.includes(',') && isAnswer(list) ? list : null;
  }
  return null;
}

function isAnswer(text: string): boolean {
  return text !== '' && text.length <= 200 && text.split(/\s+/).length <= 12;
}

const EXPECTED_KEYS = ['expected', 'gold', 'target', 'reference', 'wanted', 'truth'];
const GOT_KEYS = ['got', 'extracted', 'actual', 'answered', 'parsed', 'predicted', 'prediction', 'received', 'output'];

/** `key: value; key: value`, as an outcome given as an object is written. */
function fieldsOf(outcome: string): Map<string, string> {
  const parts = outcome.split('; ').map((part) => /^([\w-]+): (.+)$/s.exec(part));
  if (parts.length < 2 || parts.some((part) => part === null)) return new Map();
  return new Map(parts.map((part) => [(part?.[1] ?? '').toLowerCase(), part?.[2] ?? '']));
}

/** Reads `expected X, got Y` in its usual spellings; null where the outcome says nothing of the kind. */
export function expectedAnswer(run: CaseRun): ExpectedAnswer | null {
  const fields = fieldsOf(run.outcome);
  const stated = EXPECTED_KEYS.flatMap((key) => fields.get(key) ?? [])[0];
  if (stated !== undefined)
    return { expected: stated, got: GOT_KEYS.flatMap((key) => fields.get(key) ?? [])[0] ?? null };
  // Wide gaps, as tables and logs have them, would let a pattern try each way of sharing them out.
  const outcome = run.outcome.replace(/[^\S\n]{9,}/g, ' ').replace(/\n{9,}/g, '\n');
  const list = listAtEnd(outcome);
  if (list !== null) return { expected: list, got: null };
  for (const pattern of PATTERNS) {
    const match = pattern.exec(outcome);
    if (match === null) continue;
    const expected = (match.groups?.expected ?? match[1] ?? '').trim();
    const got = (match.groups?.got ?? match[2] ?? '').trim();
    if (!isAnswer(expected)) continue;
    return { expected, got: got === '' ? null : got };
  }
  return null;
}

/** The last thing the agent said that holds no call. */
export function finalReply(run: CaseRun): { event: string; content: string } | null {
  const last = stepsOf(run, 'assistant').findLast(({ calls, content }) => calls.length === 0 && content.trim() !== '');
  return last === undefined ? null : { event: last.event, content: last.content };
}

/** Words in lower case, with what joins them (`a@b.c`, `2026-03-04`), without other marks. */
export function bare(text: string): string {
  return text
    .toLowerCase()
    .replace(/(\d),(?=\d{3})/g, '$1')
    .replace(/[^\p{L}\p{N}.@/:_-]+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}])[.@/:_-]+|[.@/:_-]+(?![\p{L}\p{N}])/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether a text holds a value as a word of its own. */
export function mentions(text: string, value: string): boolean {
  const wanted = bare(value);
  return wanted !== '' && ` ${bare(text)} `.includes(` ${wanted} `);
}
