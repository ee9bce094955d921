import { normaliseNumberText, numbersIn, type WrittenNumber } from './number-text.ts';

/** Only the end of a very long answer is read. */
const MOST_CHARACTERS = 20_000;

const STATEMENT = /(?:\banswer\b(?:\s+(?:is|are|was|would be|will be|should be))?\s*[:=]?|####)/giu;

/**
 * The number that a final text gives as its answer, null where it gives none. In this order: the last `\boxed{…}`; the
 * number stated by the last "answer is …", "answer: …" or "#### …" (behind the last `=` of that line, else its first);
 * the last number of the text. Text inside `<think>…</think>` is not read; where such a block was never closed the text
 * holds no answer. Never throws; time is linear in the text.
 */
export function statedNumber(text: string): WrittenNumber | null {
  const visible = outsideThinking(text.slice(-MOST_CHARACTERS));
  if (visible === null) return null;
  const normalised = normaliseNumberText(visible);
  return boxedNumber(normalised) ?? announcedNumber(normalised) ?? numbersIn(normalised).at(-1) ?? null;
}

function outsideThinking(text: string): string | null {
  const closed = text.lastIndexOf('</think>');
  const rest = closed === -1 ? text : text.slice(closed + '</think>'.length);
  return rest.includes('<think>') ? null : rest;
}

function boxedNumber(text: string): WrittenNumber | null {
  const start = text.lastIndexOf('\\boxed{');
  if (start === -1) return null;
  const from = start + '\\boxed{'.length;
  let depth = 1;
  let end = from;
  while (end < text.length && depth > 0) {
    if (text[end] === '{') depth++;
    if (text[end] === '}') depth--;
    end++;
  }
  return numbersIn(text.slice(from, end)).at(-1) ?? null;
}

function announcedNumber(text: string): WrittenNumber | null {
  const last = [...text.matchAll(STATEMENT)].at(-1);
  if (last === undefined) return null;
  const clause = clauseFrom(text.slice(last.index + last[0].length));
  const equals = clause.lastIndexOf('=');
  return numbersIn(clause.slice(equals + 1))[0] ?? numbersIn(clause)[0] ?? null;
}

/** Up to the end of the line or sentence; a point between digits does not end one. */
function clauseFrom(text: string): string {
  const end = /\n|[.;](?=\s|$)/u.exec(text);
  return end === null ? text : text.slice(0, end.index);
}
