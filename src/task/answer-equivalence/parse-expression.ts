import { add, isSameRational, type Rational, rational } from '../../base/rational.ts';
import { ANSWER_LIMITS, Unreadable } from './answer-limits.ts';
import type { Expression, FunctionName } from './expression.ts';
import { isWhole, properFractionAt, splitDigits } from './mixed-number.ts';
import { type Cursor, expectMark, isCommand, isMark, nested, peek, takeMark, unexpected } from './token-cursor.ts';
import type { Token } from './tokens.ts';

function make(cursor: Cursor, expression: Expression): Expression {
  if (++cursor.nodes > ANSWER_LIMITS.nodes)
    throw new Unreadable('limit', `the expression has more than ${ANSWER_LIMITS.nodes} parts`);
  return expression;
}

/**
 * Sums, differences, products (also implicit), quotients, powers, roots, factorials, functions, ±. Stops in front of what cannot continue a scalar.
 * A slash divides by the next factor alone; where more factors stand behind it without a sign (`1/2x`; not `1/2 x`) it is ambiguous and refused. Throws Unreadable.
 */
export function parseSum(cursor: Cursor): Expression {
  const terms = [parseTerm(cursor, takeMark(cursor, '+', '-', 'pm', 'mp') ?? '+')];
  for (;;) {
    const sign = takeMark(cursor, '+', '-', 'pm', 'mp');
    if (sign === null) break;
    terms.push(parseTerm(cursor, sign));
  }
  return terms.length === 1 ? (terms[0] as Expression) : make(cursor, { kind: 'sum', terms });
}

function parseTerm(cursor: Cursor, sign: string): Expression {
  return signed(cursor, sign, parseProduct(cursor));
}

function signed(cursor: Cursor, sign: string, of: Expression): Expression {
  if (sign === '-') return make(cursor, { kind: 'negative', of });
  if (sign === '+') return of;
  return make(cursor, { kind: 'either', of, flipped: sign === 'mp' });
}

function parseProduct(cursor: Cursor): Expression {
  let left = parseSignedFactor(cursor);
  let followsSlash = false;
  let factors: Expression[] | null = null;
  const multiply = (right: Expression): void => {
    if (factors === null) {
      factors = [left];
      left = make(cursor, { kind: 'product', factors });
    }
    factors.push(right);
  };
  for (;;) {
    if (takeMark(cursor, '*') !== null) {
      multiply(parseSignedFactor(cursor));
      followsSlash = false;
    } else if (takeMark(cursor, '/') !== null) {
      left = make(cursor, { kind: 'quotient', over: left, under: parseSignedFactor(cursor) });
      factors = null;
      followsSlash = true;
    } else if (startsFactor(cursor)) {
      if (followsSlash && !(isIntegerQuotient(left) && !peek(cursor).glued))
        throw new Unreadable('ambiguous', 'a product without signs stands behind a slash: write \\frac or brackets');
      multiply(parsePower(cursor));
    } else {
      return left;
    }
  }
}

/** One sign may stand behind another operator: `2 \cdot -3`. */
function parseSignedFactor(cursor: Cursor): Expression {
  const sign = takeMark(cursor, '+', '-') ?? '+';
  return signed(cursor, sign, parsePower(cursor));
}

/** `1/2 x`: the space and the plain numbers leave one reading. */
function isIntegerQuotient(left: Expression): boolean {
  return left.kind === 'quotient' && left.over.kind === 'number' && left.under.kind === 'number';
}

function startsFactor(cursor: Cursor): boolean {
  const token = peek(cursor);
  if (token.kind === 'symbol') return true;
  if (token.kind === 'command')
    return !['emptyset', 'mathbb', 'begin', 'end', 'circ', 'infty', 'pmod'].includes(token.text);
  if (isMark(token, '|')) return cursor.openBars === 0 && cursor.position > 0;
  return isMark(token, '(', '[', '{', 'lfloor', 'lceil');
}

function parsePower(cursor: Cursor): Expression {
  let base = parsePrimary(cursor);
  let hasExponent = false;
  for (;;) {
    if (takeMark(cursor, '!') !== null) {
      if (isMark(peek(cursor), '!')) throw new Unreadable('ambiguous', 'a double factorial is not read');
      base = make(cursor, { kind: 'call', name: 'factorial', arguments: [base] });
    } else if (isMark(peek(cursor), '^')) {
      if (hasExponent) throw new Unreadable('ambiguous', 'two exponents follow each other: write braces');
      hasExponent = true;
      cursor.position++;
      base = isDegreeSign(cursor)
        ? make(cursor, { kind: 'degrees', of: base })
        : make(cursor, { kind: 'power', base, exponent: parseExponent(cursor) });
    } else {
      return base;
    }
  }
}

function isDegreeSign(cursor: Cursor): boolean {
  if (isCommand(peek(cursor), 'circ')) {
    cursor.position++;
    return true;
  }
  if (!isMark(peek(cursor), '{') || !isCommand(peek(cursor, 1), 'circ') || !isMark(peek(cursor, 2), '}')) return false;
  cursor.position += 3;
  return true;
}

function parseExponent(cursor: Cursor): Expression {
  const sign = takeMark(cursor, '-', '+') ?? '+';
  const token = peek(cursor);
  if (isMark(token, '{', '(') || token.kind === 'number' || token.kind === 'symbol' || token.kind === 'command') {
    return signed(cursor, sign, parsePrimary(cursor, { mixed: false }));
  }
  throw unexpected(cursor);
}

function parsePrimary(cursor: Cursor, { mixed }: { mixed: boolean } = { mixed: true }): Expression {
  const token = peek(cursor);
  if (token.kind === 'number') return parseNumber(cursor, mixed);
  if (token.kind === 'symbol') return parseSymbol(cursor);
  if (token.kind === 'command') return parseCommand(cursor);
  if (token.kind !== 'mark') throw unexpected(cursor);
  switch (token.text) {
    case '(':
      return parseGroup(cursor, ')');
    case '[':
      return parseGroup(cursor, ']');
    case '{':
      return parseGroup(cursor, '}');
    case '|':
      return parseAbsolute(cursor);
    case 'lfloor':
      return make(cursor, { kind: 'call', name: 'floor', arguments: [parseGroup(cursor, 'rfloor')] });
    case 'lceil':
      return make(cursor, { kind: 'call', name: 'ceil', arguments: [parseGroup(cursor, 'rceil')] });
    default:
      throw unexpected(cursor);
  }
}

function parseGroup(cursor: Cursor, closer: string): Expression {
  cursor.position++;
  const bars = cursor.openBars;
  cursor.openBars = 0;
  const inner = nested(cursor, () => parseSum(cursor));
  cursor.openBars = bars;
  expectMark(cursor, closer);
  return inner;
}

function parseAbsolute(cursor: Cursor): Expression {
  cursor.position++;
  cursor.openBars++;
  const inner = nested(cursor, () => parseSum(cursor));
  cursor.openBars--;
  expectMark(cursor, '|');
  return make(cursor, { kind: 'call', name: 'abs', arguments: [inner] });
}

function numberOf(cursor: Cursor, value: Rational, decimal = false): Expression {
  return make(cursor, { kind: 'number', value, decimal });
}

/** A literal, or a mixed number: an integer in front of a proper fraction of integers (`3 1/2`, `3\frac{1}{2}`). */
function parseNumber(cursor: Cursor, mixed: boolean): Expression {
  const token = peek(cursor);
  cursor.position++;
  const value = token.value as Rational;
  const next = peek(cursor);
  if (!mixed || !isWhole(token)) {
    if (next.kind === 'number')
      throw new Unreadable('ambiguous', `two numbers stand side by side: ${token.text} ${next.text}`);
    return numberOf(cursor, value, token.decimal);
  }
  const fraction = properFractionAt(cursor, next);
  if (fraction !== null) {
    cursor.position += fraction.length;
    return numberOf(cursor, add(value, fraction.value));
  }
  if (next.kind === 'number')
    throw new Unreadable('ambiguous', `two numbers stand side by side: ${token.text} ${next.text}`);
  return numberOf(cursor, value, token.decimal);
}

function parseSymbol(cursor: Cursor): Expression {
  const { text } = peek(cursor);
  cursor.position++;
  if (takeMark(cursor, '_') !== null)
    return make(cursor, { kind: 'symbol', name: `${text}_${parseSubscript(cursor)}` });
  if (text === 'i') return make(cursor, { kind: 'constant', name: 'i' });
  if (text === 'e') return make(cursor, { kind: 'constant', name: 'e' });
  if (/^[fgh]$/.test(text) && isMark(peek(cursor), '(')) {
    return make(cursor, { kind: 'application', name: text, arguments: parseArguments(cursor) });
  }
  return make(cursor, { kind: 'symbol', name: text });
}

function parseSubscript(cursor: Cursor): string {
  if (takeMark(cursor, '{') === null) {
    const token = peek(cursor);
    if (token.kind !== 'number' && token.kind !== 'symbol') throw unexpected(cursor);
    cursor.position++;
    return token.text;
  }
  let text = '';
  while (takeMark(cursor, '}') === null) {
    const token = peek(cursor);
    if (token.kind === 'end' || isMark(token, '{')) throw unexpected(cursor);
    text += token.text;
    cursor.position++;
  }
  return text;
}

function parseArguments(cursor: Cursor): Expression[] {
  cursor.position++;
  const list = nested(cursor, () => {
    const read = [parseSum(cursor)];
    while (takeMark(cursor, ',') !== null) read.push(parseSum(cursor));
    return read;
  });
  expectMark(cursor, ')');
  return list;
}

function parseCommand(cursor: Cursor): Expression {
  const { text } = peek(cursor);
  cursor.position++;
  switch (text) {
    case 'pi':
      return make(cursor, { kind: 'constant', name: 'pi' });
    case 'infty':
      return make(cursor, { kind: 'constant', name: 'infinity' });
    case 'frac':
      return make(cursor, { kind: 'quotient', over: parseOperand(cursor), under: parseOperand(cursor, true) });
    case 'binom':
      return make(cursor, {
        kind: 'call',
        name: 'binomial',
        arguments: [parseOperand(cursor), parseOperand(cursor, true)],
      });
    case 'sqrt':
      return parseRoot(cursor);
    case 'surd':
      return make(cursor, { kind: 'root', of: parsePrimary(cursor, { mixed: false }), index: 2 });
    case 'emptyset':
    case 'mathbb':
    case 'begin':
    case 'end':
    case 'circ':
    case 'pmod':
      cursor.position--;
      throw unexpected(cursor);
    default:
      return parseFunction(cursor, text);
  }
}

/**
 * `{…}`, or the single sign that TeX takes as operand: of `\frac12` the digits 1 and 2. Where a further digit follows the last operand (`\sqrt12`), TeX and
 * most writers disagree: refused.
 */
function parseOperand(cursor: Cursor, isLast = false): Expression {
  const token = peek(cursor);
  if (token.kind !== 'number') return nested(cursor, () => parsePrimary(cursor));
  if (!isWhole(token)) throw unexpected(cursor);
  if (token.text.length === 1) {
    cursor.position++;
    return numberOf(cursor, token.value as Rational);
  }
  if (isLast || token.text.length !== 2)
    throw new Unreadable('ambiguous', `several digits follow a command without braces: ${token.text.slice(0, 20)}`);
  cursor.tokens.splice(cursor.position, 1, ...splitDigits(token));
  return parseOperand(cursor);
}

function parseRoot(cursor: Cursor): Expression {
  let index = 2;
  if (takeMark(cursor, '[') !== null) {
    const token = peek(cursor);
    index = isWhole(token) ? Number(token.text) : 0;
    if (index < 2 || index > 1000)
      throw new Unreadable('notation', 'the index of a root is not an integer from 2 to 1000');
    cursor.position++;
    expectMark(cursor, ']');
  }
  const of = isMark(peek(cursor), '(') ? parsePrimary(cursor) : parseOperand(cursor, true);
  return make(cursor, { kind: 'root', of, index });
}

const RECIPROCALS_OF_POWERS: Readonly<Record<string, FunctionName>> = { sin: 'arcsin', cos: 'arccos', tan: 'arctan' };

/** `\sin 3x`, `\sin^2 x`, `\sin^{-1} x`, `\log_2 8`, `\exp(x)`, `sin(x)`. */
function parseFunction(cursor: Cursor, name: string): Expression {
  let base: Expression | null = null;
  if (takeMark(cursor, '_') !== null) {
    if (name !== 'log') throw unexpected(cursor);
    base = parseOperand(cursor);
  }
  let exponent: Expression | null = null;
  if (takeMark(cursor, '^') !== null) exponent = parseExponent(cursor);
  const isInverse =
    exponent?.kind === 'negative' && exponent.of.kind === 'number' && isSameRational(exponent.of.value, rational(1n));
  if (isInverse && RECIPROCALS_OF_POWERS[name] === undefined)
    throw new Unreadable('ambiguous', `${name}^{-1} has two meanings`);
  const argument = parseFunctionArgument(cursor);
  const value = applyFunction(cursor, isInverse ? (RECIPROCALS_OF_POWERS[name] as FunctionName) : name, base, argument);
  return exponent === null || isInverse ? value : make(cursor, { kind: 'power', base: value, exponent });
}

function applyFunction(cursor: Cursor, name: string, base: Expression | null, argument: Expression): Expression {
  if (name === 'exp') return make(cursor, { kind: 'power', base: { kind: 'constant', name: 'e' }, exponent: argument });
  if (name !== 'log' && name !== 'lg')
    return make(cursor, { kind: 'call', name: name as FunctionName, arguments: [argument] });
  const ten: Expression = { kind: 'number', value: rational(10n), decimal: false };
  const logarithm = (of: Expression): Expression => make(cursor, { kind: 'call', name: 'ln', arguments: [of] });
  return make(cursor, { kind: 'quotient', over: logarithm(argument), under: logarithm(base ?? ten) });
}

/** A bracket, or the factors up to the next operator or function; a slash behind such factors is ambiguous. */
function parseFunctionArgument(cursor: Cursor): Expression {
  if (isMark(peek(cursor), '(')) {
    const inBrackets = parsePrimary(cursor);
    if (isMark(peek(cursor), '^', '!'))
      throw new Unreadable('ambiguous', 'an exponent follows the bracket of a function');
    return inBrackets;
  }
  const sign = takeMark(cursor, '-') ?? '+';
  const factors = [nested(cursor, () => parsePower(cursor))];
  while (startsFactor(cursor) && !isFunction(peek(cursor)) && !isMark(peek(cursor), '(', '[', '|')) {
    factors.push(nested(cursor, () => parsePower(cursor)));
  }
  if (isMark(peek(cursor), '/'))
    throw new Unreadable('ambiguous', 'a slash follows the argument of a function without brackets');
  const argument = factors.length === 1 ? (factors[0] as Expression) : make(cursor, { kind: 'product', factors });
  return signed(cursor, sign, argument);
}

function isFunction(token: Token): boolean {
  return token.kind === 'command' && !['frac', 'sqrt', 'surd', 'pi', 'binom'].includes(token.text);
}
