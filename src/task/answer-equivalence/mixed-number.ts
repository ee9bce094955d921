import { type Rational, rational } from '../../base/rational.ts';
import { Unreadable } from './answer-limits.ts';
import { type Cursor, isCommand, isMark, peek } from './token-cursor.ts';
import type { Token } from './tokens.ts';

export function isWhole(token: Token): boolean {
  return token.kind === 'number' && /^\d+$/.test(token.text);
}

/** The proper fraction that begins at `next`, the token in front of the cursor, with the number of its tokens; null where none does. */
export function properFractionAt(cursor: Cursor, next: Token): { value: Rational; length: number } | null {
  if (isWhole(next) && isMark(peek(cursor, 1), '/') && isWhole(peek(cursor, 2)))
    return proper(next, peek(cursor, 2), 3);
  if (!isCommand(next, 'frac')) return null;
  const digits = peek(cursor, 1);
  if (isWhole(digits) && digits.text.length === 2) {
    const [over, under] = splitDigits(digits);
    return proper(over, under, 2);
  }
  const over = wholeGroupAt(cursor, 1);
  const under = over === null ? null : wholeGroupAt(cursor, 1 + over.length);
  if (over === null || under === null) return null;
  return proper(over.token, under.token, 1 + over.length + under.length);
}

function proper(over: Token, under: Token, length: number): { value: Rational; length: number } | null {
  const top = (over.value as Rational).numerator;
  const bottom = (under.value as Rational).numerator;
  if (top <= 0n || top >= bottom)
    throw new Unreadable('ambiguous', 'an integer stands in front of a fraction that is not proper');
  return { value: rational(top, bottom), length };
}

/** `{12}`, or `1` and `12` as the one or two operands of `\frac12`. */
function wholeGroupAt(cursor: Cursor, ahead: number): { token: Token; length: number } | null {
  const token = peek(cursor, ahead);
  if (isMark(token, '{')) {
    return isWhole(peek(cursor, ahead + 1)) && isMark(peek(cursor, ahead + 2), '}')
      ? { token: peek(cursor, ahead + 1), length: 3 }
      : null;
  }
  return isWhole(token) && token.text.length === 1 ? { token, length: 1 } : null;
}

/** The two digits of `\frac12` as tokens of their own. */
export function splitDigits({ text }: Token): [Token, Token] {
  const digit = (at: number): Token => {
    const sign = text[at] as string;
    return { kind: 'number', text: sign, glued: true, value: rational(BigInt(sign)), decimal: false };
  };
  return [digit(0), digit(1)];
}
