import { changesNumber, isHedged, isRefused, isSupposed } from './qualifying-words.ts';

/**
 * Where the answer stands in a final text. `box`: only the last `\boxed`. `stated`: also the last "answer is …". `any`: also a text that is the answer as a
 * whole, the last formula, the last number. `whole`: the text as it is.
 */
export const EXTRACTIONS = ['any', 'stated', 'box', 'whole'] as const;
export type Extraction = (typeof EXTRACTIONS)[number];

export interface Extracted {
  readonly text: string;
  readonly from: 'box' | 'statement' | 'whole' | 'formula' | 'number';
}

/** Of very long texts only the end is read. */
const MOST_CHARACTERS = 100_000;
const OPEN_TAG = /<(think|thinking|thought|reasoning)>/gi;
const CLOSE_TAG = /<\/(think|thinking|thought|reasoning)>/gi;

/**
 * The last answer of a final text outside `<think>…</think>`, null where it gives none: a box that is empty or never closed, thinking that never ends,
 * a statement that is no single answer. `isAnswer` tells whether a whole text is an answer by itself. Never throws; time is linear in the text.
 */
export function extractAnswer(
  text: string,
  extraction: Extraction,
  isAnswer: (text: string) => boolean,
): Extracted | null {
  const visible = outsideThinking(text)?.slice(-MOST_CHARACTERS).trim() ?? '';
  if (visible === '') return null;
  if (extraction === 'whole') return { text: visible, from: 'whole' };
  const box = lastBox(visible);
  if (box !== undefined) return box === null ? null : { text: box, from: 'box' };
  if (extraction === 'box') return null;
  const statement = lastStatement(visible);
  if (statement !== undefined) return statement === null ? null : { text: statement, from: 'statement' };
  if (extraction === 'stated') return null;
  if (isAnswer(visible)) return { text: visible, from: 'whole' };
  return lastFormula(visible) ?? lastNumber(visible);
}

/** What stands behind the last closed block of thinking; null where thinking never ends. */
export function outsideThinking(text: string): string | null {
  const closed = lastMatch(text, CLOSE_TAG);
  const rest = closed === null ? text : text.slice(closed.index + closed[0].length);
  return lastMatch(rest, OPEN_TAG) === null ? rest : null;
}

function lastMatch(text: string, pattern: RegExp): RegExpExecArray | null {
  let last: RegExpExecArray | null = null;
  for (const match of text.matchAll(pattern)) last = match;
  return last;
}

const BOX = /\\f?boxed?(?![A-Za-z])\s*/g;

/** What stands in the last `\\boxed{…}`, LaTeX as it is: undefined where there is no box, null where the last one is empty or never closed. */
export function lastBox(text: string): string | null | undefined {
  const box = lastMatch(text, BOX);
  if (box === null) return undefined;
  const start = box.index + box[0].length;
  if (text[start] !== '{') return /^[A-Za-z0-9]/.exec(text.slice(start, start + 1))?.[0] ?? null;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(start + 1, at).trim() || null;
  }
  return null;
}

const STATEMENT =
  /(?:\banswer\b[*_]{0,2}(?: to (?:the|this) (?:problem|question))?(?:\s+(?:is|are|was|would be|will be|should be))?(?:\s*[:=])?|####)/giu;

/** How much of the text around a statement or value is read for what it says about it. */
const CONTEXT_CHARACTERS = 80;

function textBefore(text: string, at: number): string {
  return text.slice(Math.max(0, at - CONTEXT_CHARACTERS), at);
}

/** The last statement that is not only supposed; null where all of them are. */
function statementIn(text: string): RegExpExecArray | null | undefined {
  let last: RegExpExecArray | null | undefined;
  for (const match of text.matchAll(STATEMENT)) {
    if (!isSupposed(textBefore(text, match.index))) last = match;
    else last ??= null;
  }
  return last;
}

/** Undefined where nothing is stated, null where what is stated is no single answer. */
function lastStatement(text: string): string | null | undefined {
  const statement = statementIn(text);
  if (statement === undefined || statement === null) return statement;
  const isStated = /(?:is|are|was|be|:|=|#)$/i.test(statement[0]);
  if (!isStated) return undefined;
  const rest = text.slice(statement.index + statement[0].length).replace(/^[\s*_:]+/, '');
  const formula = /^(?:\$\$((?:\\.|[^$\\])+)\$\$|\$((?:\\.|[^$\\])+)\$(?!\d)|\\\((.+?)\\\)|\\\[(.+?)\\\])/su.exec(rest);
  if (formula !== null) {
    const after = rest.slice(formula[0].length);
    if (isRefused(after.slice(0, 2 * CONTEXT_CHARACTERS))) return null;
    if (!/^\s*(?:,?\s*(?:or|and)\b|,\s*(?:\$|\\\(|[-\d]))/i.test(after)) return contentOf(formula);
  }
  const clause = clauseOf(rest);
  if (clause === null) return null;
  const said = clause.replace(/[*_]{2}/g, '').trim();
  const isDenied = /^(?:not|n't|never|wrong|incorrect|unknown|unclear)\b/i.test(said);
  const isTakenBack = /^\S*\d/.test(said) && isRefused(said.replace(/^\S+/, ''));
  return said === '' || isDenied || isTakenBack ? null : said;
}

/** What a delimited formula holds, null where it is empty. */
function contentOf(formula: RegExpExecArray): string | null {
  const content = formula.slice(1).find((group) => group !== undefined);
  return content?.trim() || null;
}

/** Up to the end of the line or sentence; a point between digits, or a semicolon in front of a number, does not end one. Null for a question. */
function clauseOf(text: string): string | null {
  const end = /\n|(?<![ap]|[ap]\.m)[.!?](?=\s|$)|;(?=\s|$)(?!\s*[-−$\\(]*\d)/iu.exec(text);
  if (end === null) return text;
  return end[0] === '?' ? null : text.slice(0, end.index);
}

/** The last `$…$`, `\(…\)` or `\[…\]`, unless a number stands behind it. */
function lastFormula(text: string): Extracted | null {
  const formula = lastMatch(
    text,
    /\$\$((?:\\.|[^$\\]){1,4096})\$\$|(?<!\\)\$((?:\\.|[^$\\]){1,4096})\$|\\\(([^\\]{1,4096}(?:\\(?![()])[^\\]{0,4096}){0,400})\\\)|\\\[([^\\]{1,4096}(?:\\(?![[\]])[^\\]{0,4096}){0,400})\\\]/gs,
  );
  if (formula === null || /\d/.test(text.slice(formula.index + formula[0].length))) return null;
  // "$x=3$ and $y=4$" gives two values, not the second; two formulas side by side do too.
  const before = textBefore(text, formula.index).trimEnd();
  if (isHedged(before) || /(?:\\[)\]]|\$),?$/.test(before)) return null;
  if (isRefused(text.slice(formula.index + formula[0].length).slice(0, 2 * CONTEXT_CHARACTERS))) return null;
  const content = contentOf(formula);
  return content === null ? null : { text: content, from: 'formula' };
}

const LONGEST_NUMBER = 400;
const NUMBER_WORD =
  /^[("'*[]*((?:[-−]?[$€£¥]?|[$€£¥][-−])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d+)?(?:\/\d+)?\s?%?)[)"'*\].,;:!?]*$/;
const OPERATOR = /(?:[-+*/^_×·÷<>{(\\%]|\\[a-z]+)$/;
/** The last number, as long as it stands by itself and is no part of a formula and not one of several. */
function lastNumber(text: string): Extracted | null {
  let digit = text.length - 1;
  while (digit >= 0 && !/\d/.test(text[digit] as string)) digit--;
  if (digit < 0) return null;
  const head = /\S*$/.exec(text.slice(Math.max(0, digit - LONGEST_NUMBER), digit))?.[0] ?? '';
  const tail = /^\S*/.exec(text.slice(digit, digit + LONGEST_NUMBER))?.[0] ?? '';
  const number = NUMBER_WORD.exec(`${head}${tail}`.replace(/^.*=/, ''))?.[1];
  if (number === undefined || !/\d/.test(number)) return null;
  const before = textBefore(text, digit - head.length)
    .trimEnd()
    // The end of an emphasised heading, not a sign.
    .replace(/(?<=\p{L}:?)[*_]{1,2}$/u, '');
  const after = text.slice(digit + tail.length, digit + tail.length + 2 * CONTEXT_CHARACTERS);
  if (OPERATOR.test(before) || isHedged(before) || /^\s*(?:[-+*/^_×·÷=<>}\\]|or\b)/.test(after)) return null;
  if (/^\s*per ?cent\b/i.test(after)) return { text: `${number}%`, from: 'number' };
  if (/^[a-z,]*$/i.test(tail.replace(/^[\d.,/]+/, '')) && changesNumber(after)) return null;
  return isRefused(after) ? null : { text: number, from: 'number' };
}
