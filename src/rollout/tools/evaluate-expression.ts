import { add, formatRational, multiply, negate, type Rational, rational } from '../../base/rational.ts';
import { ToolError } from './tool-error.ts';

const MAX_CHARACTERS = 1_000;
const MAX_NESTING = 64;
const MAX_EXPONENT = 1_000;
/** Largest numerator or denominator, in bits (some 1,200 decimal digits). */
const MAX_BITS = 4_096;

/**
 * Value of an arithmetic expression, exactly: + − × ÷ (also * / · and unicode minus), parentheses, unary signs, decimals, thousands commas,
 * `%` after a number (a hundredth), integer powers (`^` or `**`, right-associative). Text is parsed here and never evaluated as code.
 *
 * Throws ToolError `syntax`, `division-by-zero` or `too-large`.
 */
export function evaluateExpression(expression: string): string {
  if (expression.length > MAX_CHARACTERS) {
    throw new ToolError(
      'too-large',
      `the expression has ${expression.length} characters; ${MAX_CHARACTERS} are allowed`,
    );
  }
  const tokens = tokenise(expression);
  if (tokens.length === 0) throw new ToolError('syntax', 'the expression is empty');
  const reader: Reader = { tokens, position: 0, nesting: 0 };
  const value = readSum(reader);
  const rest = tokens[reader.position];
  if (rest !== undefined) throw new ToolError('syntax', `unexpected "${rest}" in "${expression.trim()}"`);
  return formatRational(value);
}

interface Reader {
  tokens: readonly string[];
  position: number;
  nesting: number;
}

const TOKEN = /\s*(?:(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)|(\*\*|[-+*/^()%×÷·−–]))/y;
const PLAIN_SIGNS: Readonly<Record<string, string>> = { '×': '*', '·': '*', '÷': '/', '−': '-', '–': '-', '**': '^' };

function tokenise(expression: string): string[] {
  const tokens: string[] = [];
  const text = expression.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) {
      const unknown = text.slice(from).trimStart().slice(0, 12);
      throw new ToolError(
        'syntax',
        `cannot read "${unknown}" in "${text.trim()}": only numbers, + - * / ^ % and parentheses`,
      );
    }
    tokens.push(match[1]?.replaceAll(',', '') ?? PLAIN_SIGNS[match[2] ?? ''] ?? match[2] ?? '');
  }
  return tokens;
}

function readSum(reader: Reader): Rational {
  let value = readProduct(reader);
  for (let sign = takeAny(reader, '+', '-'); sign !== null; sign = takeAny(reader, '+', '-')) {
    const term = readProduct(reader);
    value = bounded(add(value, sign === '+' ? term : negate(term)));
  }
  return value;
}

function readProduct(reader: Reader): Rational {
  let value = readSigned(reader);
  for (let sign = takeAny(reader, '*', '/'); sign !== null; sign = takeAny(reader, '*', '/')) {
    const factor = readSigned(reader);
    value = bounded(multiply(value, sign === '*' ? factor : inverse(factor)));
  }
  return value;
}

function readSigned(reader: Reader): Rational {
  const sign = takeAny(reader, '-', '+');
  if (sign === null) return readPower(reader);
  const value = nested(reader, readSigned);
  return sign === '-' ? negate(value) : value;
}

function readPower(reader: Reader): Rational {
  const base = readPercent(reader);
  if (takeAny(reader, '^') === null) return base;
  return power(base, nested(reader, readSigned));
}

function readPercent(reader: Reader): Rational {
  let value = readAtom(reader);
  while (takeAny(reader, '%') !== null) value = multiply(value, rational(1n, 100n));
  return value;
}

function readAtom(reader: Reader): Rational {
  const token = reader.tokens[reader.position];
  if (token === undefined) throw new ToolError('syntax', 'the expression ends where a number is expected');
  reader.position++;
  if (token === '(') {
    const value = nested(reader, readSum);
    if (takeAny(reader, ')') === null) throw new ToolError('syntax', 'a "(" is not closed');
    return value;
  }
  if (!/^[\d.]/.test(token)) throw new ToolError('syntax', `unexpected "${token}" where a number is expected`);
  const [whole = '', fraction = ''] = token.split('.');
  return bounded(rational(BigInt(`${whole}${fraction}`), 10n ** BigInt(fraction.length)));
}

function takeAny(reader: Reader, ...wanted: string[]): string | null {
  const token = reader.tokens[reader.position];
  if (token === undefined || !wanted.includes(token)) return null;
  reader.position++;
  return token;
}

function nested(reader: Reader, read: (reader: Reader) => Rational): Rational {
  if (++reader.nesting > MAX_NESTING) throw new ToolError('too-large', `nested deeper than ${MAX_NESTING} levels`);
  const value = read(reader);
  reader.nesting--;
  return value;
}

function inverse(value: Rational): Rational {
  if (value.numerator === 0n) throw new ToolError('division-by-zero', 'division by zero');
  return rational(value.denominator, value.numerator);
}

function power(base: Rational, exponent: Rational): Rational {
  if (exponent.denominator !== 1n) throw new ToolError('syntax', 'only whole-number exponents are possible');
  const size = exponent.numerator < 0n ? -exponent.numerator : exponent.numerator;
  if (size > BigInt(MAX_EXPONENT) || BigInt(bits(base)) * size > BigInt(MAX_BITS * 2)) {
    throw new ToolError(
      'too-large',
      `the power is too large (exponents up to ${MAX_EXPONENT}, results up to ${MAX_BITS} bits)`,
    );
  }
  const raised = bounded({ numerator: base.numerator ** size, denominator: base.denominator ** size });
  return exponent.numerator < 0n ? inverse(raised) : raised;
}

function bounded(value: Rational): Rational {
  if (bits(value) > MAX_BITS) throw new ToolError('too-large', `the value has more than ${MAX_BITS} bits`);
  return value;
}

/** Bits of the larger part, to within 4: one hexadecimal digit. */
function bits({ numerator, denominator }: Rational): number {
  const size = numerator < 0n ? -numerator : numerator;
  return 4 * (size > denominator ? size : denominator).toString(16).length;
}
