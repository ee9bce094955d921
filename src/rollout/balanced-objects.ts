import { closingBrace } from '../base/closing-brace.ts';

/** A `{…}` in a text: `end` is exclusive. `isClosed` is false where the text ends before the braces balance. */
export interface BraceSegment {
  start: number;
  end: number;
  isClosed: boolean;
  text: string;
}

/** Unclosed braces tried before the scan gives up: keeps hostile text ("{{{{…") linear. */
const MAX_UNCLOSED = 32;

/**
 * Outermost `{…}` segments from left to right, braces inside JSON strings ignored. After an unclosed `{` the scan goes on behind it, so that
 * a stray brace does not hide what follows.
 */
export function balancedObjects(text: string): BraceSegment[] {
  const segments: BraceSegment[] = [];
  let unclosed = 0;
  let start = text.indexOf('{');
  while (start !== -1 && unclosed < MAX_UNCLOSED) {
    const end = closingBrace(text, start);
    if (end === -1) {
      unclosed++;
      segments.push({ start, end: text.length, isClosed: false, text: text.slice(start) });
      start = text.indexOf('{', start + 1);
    } else {
      segments.push({ start, end: end + 1, isClosed: true, text: text.slice(start, end + 1) });
      start = text.indexOf('{', end + 1);
    }
  }
  return segments;
}
