import {
  absolute,
  add,
  compareRationals,
  divide,
  multiply,
  negate,
  ONE,
  power,
  type Rational,
  rational,
  ZERO,
} from '../../base/rational.ts';
import { ANSWER_LIMITS, isTooLarge, refuseLargeInteger, Unreadable } from './answer-limits.ts';
import type { Expression, FunctionName } from './expression.ts';
import { bitLength, floorDivide } from './real-interval.ts';

/**
 * The value of an expression that needs rational arithmetic only, null where it needs more (roots, π, symbols). Throws Unreadable: `undefined` for a
 * division by zero, `limit` for integers of more than 4,096 bits.
 */
export function exactRational(expression: Expression): Rational | null {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'negative': {
      const of = exactRational(expression.of);
      return of === null ? null : negate(of);
    }
    case 'sum':
      return fold(expression.terms, ZERO, add);
    case 'product':
      return fold(expression.factors, ONE, multiply);
    case 'quotient': {
      const over = exactRational(expression.over);
      const under = over === null ? null : exactRational(expression.under);
      return over === null || under === null ? null : bounded(divideExactly(over, under));
    }
    case 'power': {
      const base = exactRational(expression.base);
      const exponent = base === null ? null : exactRational(expression.exponent);
      return base === null || exponent === null || exponent.denominator !== 1n
        ? null
        : rationalPower(base, exponent.numerator);
    }
    case 'call': {
      const values = expression.arguments.map(exactRational);
      return values.includes(null) ? null : exactCall(expression.name, values as Rational[]);
    }
    default:
      return null;
  }
}

function fold(
  parts: readonly Expression[],
  start: Rational,
  join: (a: Rational, b: Rational) => Rational,
): Rational | null {
  let value = start;
  for (const part of parts) {
    const next = exactRational(part);
    if (next === null) return null;
    value = bounded(join(value, next));
  }
  return value;
}

export function bounded(value: Rational): Rational {
  refuseLargeInteger(value.numerator);
  refuseLargeInteger(value.denominator);
  return value;
}

function divideExactly(over: Rational, under: Rational): Rational {
  if (under.numerator === 0n) throw new Unreadable('undefined', 'it divides by zero');
  return divide(over, under);
}

/** Throws Unreadable before a power is computed that would be too large. 0^0 is undefined. */
export function rationalPower(base: Rational, exponent: bigint): Rational {
  if (base.numerator === 0n && exponent <= 0n)
    throw new Unreadable('undefined', 'it raises zero to a power that is not positive');
  const size = exponent < 0n ? -exponent : exponent;
  const bits = Math.max(bitLength(base.numerator), bitLength(base.denominator));
  if (bits > 1 && size * BigInt(bits - 1) > BigInt(ANSWER_LIMITS.integerBits)) {
    throw new Unreadable('limit', `a power has more than ${ANSWER_LIMITS.integerBits} bits`);
  }
  if (bits <= 1) return size % 2n === 0n ? absolute(base) : base;
  return bounded(power(base, exponent));
}

/** Floor, ceiling, absolute value, factorials and binomials of rationals; null for functions that lead out of them. */
export function exactCall(name: FunctionName, values: readonly Rational[]): Rational | null {
  const [first, second] = values as [Rational, Rational | undefined];
  switch (name) {
    case 'abs':
      return absolute(first);
    case 'floor':
      return rational(floorDivide(first.numerator, first.denominator));
    case 'ceil':
      return rational(-floorDivide(-first.numerator, first.denominator));
    case 'factorial':
      return largeFactorial(first) !== null ? null : rational(factorial(first));
    case 'binomial':
      return rational(binomial(first, second as Rational));
    default:
      return null;
  }
}

/** 559! is the last factorial of at most 4,096 bits. */
const MOST_FACTORIAL = 559n;
const MOST_LARGE_FACTORIAL = 10_000n;

/** n where n! is beyond the limit of integers, yet may stand as a factor that is never multiplied out. */
export function largeFactorial(of: Rational): bigint | null {
  const isLarge = of.denominator === 1n && of.numerator > MOST_FACTORIAL;
  if (isLarge && of.numerator > MOST_LARGE_FACTORIAL)
    throw new Unreadable('limit', `a factorial of more than ${MOST_LARGE_FACTORIAL}`);
  return isLarge ? of.numerator : null;
}

function factorial(of: Rational): bigint {
  if (of.denominator !== 1n || of.numerator < 0n)
    throw new Unreadable('undefined', 'it takes the factorial of something other than 0, 1, 2 …');
  let value = 1n;
  for (let factor = 2n; factor <= of.numerator; factor++) value *= factor;
  return value;
}

function binomial(n: Rational, k: Rational): bigint {
  if (n.denominator !== 1n || k.denominator !== 1n || n.numerator < 0n || k.numerator < 0n) {
    throw new Unreadable('undefined', 'a binomial coefficient needs integers ≥ 0');
  }
  if (compareRationals(k, n) > 0) return 0n;
  const steps = k.numerator * 2n > n.numerator ? n.numerator - k.numerator : k.numerator;
  if (steps > BigInt(ANSWER_LIMITS.integerBits)) throw new Unreadable('limit', 'a binomial coefficient is too large');
  let value = 1n;
  for (let step = 1n; step <= steps; step++) {
    value = (value * (n.numerator - steps + step)) / step;
    if (isTooLarge(value))
      throw new Unreadable('limit', `a binomial coefficient has more than ${ANSWER_LIMITS.integerBits} bits`);
  }
  return value;
}
