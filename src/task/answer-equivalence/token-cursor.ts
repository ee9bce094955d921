import { ANSWER_LIMITS, Unreadable } from './answer-limits.ts';
import type { Token } from './tokens.ts';

/** A place in the tokens, with what was used of the limits. */
export interface Cursor {
  readonly tokens: Token[];
  position: number;
  nesting: number;
  nodes: number;
  /** Open `|`: the next one closes. */
  openBars: number;
}

export function startCursor(tokens: Token[]): Cursor {
  return { tokens, position: 0, nesting: 0, nodes: 0, openBars: 0 };
}

export function peek(cursor: Cursor, ahead = 0): Token {
  return cursor.tokens[Math.min(cursor.position + ahead, cursor.tokens.length - 1)] as Token;
}

export function isMark(token: Token, ...texts: readonly string[]): boolean {
  return token.kind === 'mark' && texts.includes(token.text);
}

export function isCommand(token: Token, ...names: readonly string[]): boolean {
  return token.kind === 'command' && names.includes(token.text);
}

/** Moves on when the next token is that mark. */
export function takeMark(cursor: Cursor, ...texts: readonly string[]): string | null {
  const token = peek(cursor);
  if (!isMark(token, ...texts)) return null;
  cursor.position++;
  return token.text;
}

export function unexpected(cursor: Cursor): Unreadable {
  const token = peek(cursor);
  return new Unreadable(
    'notation',
    token.kind === 'end' ? 'it ends too early' : `"${token.text.slice(0, 20)}" is not expected there`,
  );
}

export function expectMark(cursor: Cursor, ...texts: readonly string[]): void {
  if (takeMark(cursor, ...texts) === null) throw unexpected(cursor);
}

/** Runs `read` one level of nesting deeper. Throws Unreadable `limit` beyond 64 levels. */
export function nested<T>(cursor: Cursor, read: () => T): T {
  if (++cursor.nesting > ANSWER_LIMITS.nesting)
    throw new Unreadable('limit', `brackets are nested deeper than ${ANSWER_LIMITS.nesting}`);
  const value = read();
  cursor.nesting--;
  return value;
}
