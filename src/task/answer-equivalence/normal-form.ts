import {
  absolute,
  add,
  divide,
  greatestCommonDivisor,
  isSameRational,
  multiply,
  negate,
  ONE,
  type Rational,
  rational,
  ZERO,
} from '../../base/rational.ts';
import { Unreadable } from './answer-limits.ts';
import { bounded, exactCall, exactRational, largeFactorial, rationalPower } from './exact-rational.ts';
import { exactSine } from './exact-sine.ts';
import type { Expression, FunctionName } from './expression.ts';
import {
  type Algebra,
  addPolynomials,
  atomPolynomial,
  constantPolynomial,
  invertTerm,
  multiplyPolynomials,
  negatePolynomial,
  normalTerm,
  ONE_POLYNOMIAL,
  type Polynomial,
  polynomialText,
  rationalOf,
  scalePolynomial,
  type Term,
  ZERO_POLYNOMIAL,
} from './polynomial.ts';
import { positiveRootOf } from './rational-root.ts';
import { leastCommonMultiple } from './real-interval.ts';

/** over / under; `under` is not the empty polynomial, and is 1 wherever it could be divided away. */
export interface Fraction {
  readonly over: Polynomial;
  readonly under: Polynomial;
}

const MOST_EXPANDED_POWER = 40n;

/**
 * A scalar as a fraction of polynomials. Two expressions are equal wherever both have a value when `over·under′ − over′·under` is empty; see hasIndependentAtoms
 * for when the reverse holds. Throws Unreadable: `undefined`, `limit`.
 */
export function normalForm(algebra: Algebra, expression: Expression): Fraction {
  algebra.effort.spend(2);
  const inside = (part: Expression): Fraction => normalForm(algebra, part);
  switch (expression.kind) {
    case 'number':
      return whole(constantPolynomial(expression.value));
    case 'symbol':
      return whole(atomPolynomial(algebra, `symbol ${expression.name}`, { kind: 'symbol' }));
    case 'constant':
      return constantForm(algebra, expression.name);
    case 'negative':
      return negated(inside(expression.of));
    case 'sum':
      return expression.terms
        .map(inside)
        .reduce((sum, term) => addFractions(algebra, sum, term), whole(ZERO_POLYNOMIAL));
    case 'product':
      return expression.factors
        .map(inside)
        .reduce((product, factor) => multiplyFractions(algebra, product, factor), whole(ONE_POLYNOMIAL));
    case 'quotient':
      return multiplyFractions(algebra, inside(expression.over), reciprocal(algebra, inside(expression.under)));
    case 'degrees':
      return multiplyFractions(
        algebra,
        inside(expression.of),
        whole(scalePolynomial(constantForm(algebra, 'pi').over, rational(1n, 180n))),
      );
    case 'power':
      return powerForm(algebra, expression.base, expression.exponent);
    case 'root':
      return rationalPowerOf(algebra, inside(expression.of), rational(1n, BigInt(expression.index)));
    case 'call':
      return callForm(algebra, expression.name, expression.arguments.map(inside));
    case 'application':
      return opaque(algebra, `${expression.name}()`, expression.arguments.map(inside));
    case 'either':
      throw new Unreadable('notation', 'a sign ± stands where one value is expected');
  }
}

function whole(over: Polynomial): Fraction {
  return { over, under: ONE_POLYNOMIAL };
}

function negated({ over, under }: Fraction): Fraction {
  return { over: negatePolynomial(over), under };
}

function constantForm(algebra: Algebra, name: 'pi' | 'e' | 'i' | 'infinity'): Fraction {
  if (name === 'infinity') throw new Unreadable('undefined', 'it calculates with infinity');
  return whole(atomPolynomial(algebra, `constant ${name}`, { kind: name }));
}

/** The rational that a fraction is, null where it is none. */
export function rationalOfFraction({ over, under }: Fraction): Rational | null {
  return under === ONE_POLYNOMIAL ? rationalOf(over) : null;
}

function addFractions(algebra: Algebra, a: Fraction, b: Fraction): Fraction {
  if (a.under === ONE_POLYNOMIAL && b.under === ONE_POLYNOMIAL) return whole(addPolynomials(a.over, b.over));
  if (polynomialText(a.under) === polynomialText(b.under))
    return { over: addPolynomials(a.over, b.over), under: a.under };
  const over = addPolynomials(
    multiplyPolynomials(algebra, a.over, b.under),
    multiplyPolynomials(algebra, b.over, a.under),
  );
  return { over, under: multiplyPolynomials(algebra, a.under, b.under) };
}

function multiplyFractions(algebra: Algebra, a: Fraction, b: Fraction): Fraction {
  const over = multiplyPolynomials(algebra, a.over, b.over);
  if (a.under === ONE_POLYNOMIAL) return { over, under: b.under };
  if (b.under === ONE_POLYNOMIAL) return { over, under: a.under };
  return { over, under: multiplyPolynomials(algebra, a.under, b.under) };
}

function reciprocal(algebra: Algebra, { over, under }: Fraction): Fraction {
  if (over.size === 0) throw new Unreadable('undefined', 'it divides by zero');
  if (over.size > 1) return { over: under, under: over };
  return whole(multiplyPolynomials(algebra, under, invertTerm(algebra, [...over.values()][0] as Term)));
}

/** over·under′ − over′·under: empty exactly when the fractions are shown to be equal. */
export function crossDifference(algebra: Algebra, a: Fraction, b: Fraction): Polynomial {
  return addFractions(algebra, a, negated(b)).over;
}

function powerForm(algebra: Algebra, base: Expression, exponent: Expression): Fraction {
  const power = rationalOfFraction(normalForm(algebra, exponent));
  const of = normalForm(algebra, base);
  if (power === null) return opaque(algebra, 'power', [of, normalForm(algebra, exponent)]);
  return rationalPowerOf(algebra, of, power);
}

function rationalPowerOf(algebra: Algebra, of: Fraction, power: Rational): Fraction {
  if (of.over.size === 0) {
    if (power.numerator <= 0n) throw new Unreadable('undefined', 'it raises zero to a power that is not positive');
    return of;
  }
  if (power.denominator === 1n) return integerPowerOf(algebra, of, power.numerator);
  if (of.under !== ONE_POLYNOMIAL) return opaque(algebra, `power ${power.numerator}/${power.denominator}`, [of]);
  return rootOf(algebra, of.over, power);
}

function integerPowerOf(algebra: Algebra, of: Fraction, power: bigint): Fraction {
  const size = power < 0n ? -power : power;
  const constant = rationalOfFraction(of);
  if (constant !== null) return whole(constantPolynomial(rationalPower(constant, power)));
  const base = power < 0n ? reciprocal(algebra, of) : of;
  if (base.over.size > 1 || base.under !== ONE_POLYNOMIAL) {
    if (size > MOST_EXPANDED_POWER) return opaque(algebra, `power ${power}`, [of]);
  } else if (size > 100_000n) throw new Unreadable('limit', 'an exponent is too large');
  let result = whole(ONE_POLYNOMIAL);
  let square = base;
  for (let rest = size; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiplyFractions(algebra, result, square);
    if (rest > 1n) square = multiplyFractions(algebra, square, square);
    for (const { coefficient } of result.over.values()) bounded(coefficient);
  }
  return result;
}

/** polynomial^power for a power that is no integer. A positive rational content is taken out: (c·p)^r = c^r·p^r for every c > 0. */
function rootOf(algebra: Algebra, polynomial: Polynomial, power: Rational): Fraction {
  const content = contentOf(polynomial);
  const primitive = scalePolynomial(polynomial, divide(ONE, content));
  const outside = positiveRootOf(algebra, content, power);
  const rest = rationalOf(primitive);
  if (rest !== null) return whole(multiplyPolynomials(algebra, outside, rootOfUnit(algebra, rest, power)));
  const positive = positiveTermPower(algebra, primitive, power);
  if (positive !== null) return whole(multiplyPolynomials(algebra, outside, positive));
  const index = Number(power.denominator);
  if (index > 1000) throw new Unreadable('limit', 'the index of a root is too large');
  const name = `root ${index} (${polynomialText(primitive)})`;
  const root = whole(atomPolynomial(algebra, name, { kind: 'root', index, radicand: primitive }));
  return multiplyFractions(algebra, whole(outside), integerPowerOf(algebra, root, power.numerator));
}

/** (±1)^power: the real value for odd denominators, i for square roots of −1. */
function rootOfUnit(algebra: Algebra, unit: Rational, power: Rational): Polynomial {
  if (isSameRational(unit, ONE)) return ONE_POLYNOMIAL;
  if (power.denominator % 2n === 1n) return constantPolynomial(power.numerator % 2n === 0n ? ONE : negate(ONE));
  if (power.denominator !== 2n) return opaque(algebra, `root ${power.numerator}/${power.denominator} of -1`, []).over;
  return integerPowerOf(algebra, constantForm(algebra, 'i'), power.numerator).over;
}

/** A single term of positive constants (roots, π, e): exponents are multiplied. */
function positiveTermPower(algebra: Algebra, polynomial: Polynomial, power: Rational): Polynomial | null {
  const [term] = polynomial.values();
  if (polynomial.size !== 1 || term === undefined || term.coefficient.numerator < 0n) return null;
  const kinds = [...term.powers.keys()].map((name) => algebra.atoms.get(name)?.kind);
  if (!kinds.every((kind) => kind === 'prime' || kind === 'pi' || kind === 'e')) return null;
  const powers = new Map([...term.powers].map(([name, exponent]) => [name, multiply(exponent, power)]));
  return normalTerm(algebra, ONE, powers);
}

/** gcd of the numerators over lcm of the denominators, > 0. */
function contentOf(polynomial: Polynomial): Rational {
  let over = 0n;
  let under = 1n;
  for (const { coefficient } of polynomial.values()) {
    over = greatestCommonDivisor(over, absolute(coefficient).numerator);
    under = leastCommonMultiple(under, coefficient.denominator);
  }
  return rational(over, under);
}

function callForm(algebra: Algebra, name: FunctionName, values: readonly Fraction[]): Fraction {
  const rationals = values.map(rationalOfFraction);
  if (!rationals.includes(null)) {
    const [first] = rationals as [Rational];
    const large = name === 'factorial' ? largeFactorial(first) : null;
    if (large !== null) return largeFactorialForm(algebra, large);
    const exact = exactCall(name, rationals as Rational[]);
    if (exact !== null) return whole(constantPolynomial(bounded(exact)));
    if (name === 'ln' && isSameRational(first, ONE)) return whole(ZERO_POLYNOMIAL);
    if (/^(?:arcsin|arctan|sinh|tanh)$/.test(name) && first.numerator === 0n) return whole(ZERO_POLYNOMIAL);
  }
  const exact = exactTrigonometry(algebra, name, values[0] as Fraction);
  return exact ?? opaque(algebra, name, values);
}

/** sin, cos and tan at multiples of π/6 and π/4. */
function exactTrigonometry(algebra: Algebra, name: FunctionName, angle: Fraction): Fraction | null {
  if (!/^(?:sin|cos|tan)$/.test(name) || angle.under !== ONE_POLYNOMIAL || angle.over.size > 1) return null;
  const [term] = angle.over.values();
  const halfTurns = term === undefined ? ZERO : term.coefficient;
  if (term !== undefined && (term.powers.size !== 1 || !isSameRational(term.powers.get('constant pi') ?? ZERO, ONE)))
    return null;
  const sine = exactSine(algebra, halfTurns);
  const cosine = exactSine(algebra, add(halfTurns, rational(1n, 2n)));
  if (sine === null || cosine === null) return null;
  if (name === 'tan') return multiplyFractions(algebra, whole(sine), reciprocal(algebra, whole(cosine)));
  return whole(name === 'sin' ? sine : cosine);
}

/** n! as a multiple of the first large factorial that was met. */
function largeFactorialForm(algebra: Algebra, n: bigint): Fraction {
  const known = [...algebra.atoms.keys()].find((name) => name.startsWith('factorial '));
  const reference = known === undefined ? n : BigInt(known.slice('factorial '.length));
  let ratio = 1n;
  const [from, to] = n > reference ? [reference, n] : [n, reference];
  for (let factor = from + 1n; factor <= to; factor++) {
    algebra.effort.spend(1);
    ratio = bounded(rational(ratio * factor)).numerator;
  }
  const atom = atomPolynomial(algebra, `factorial ${reference}`, { kind: 'factorial' });
  return whole(scalePolynomial(atom, n > reference ? rational(ratio) : rational(1n, ratio)));
}

/** A value that is only known by its name and arguments. */
function opaque(algebra: Algebra, name: string, values: readonly Fraction[]): Fraction {
  const key = `${name}(${values.map(fractionText).join(';')})`;
  return whole(atomPolynomial(algebra, key, { kind: 'opaque' }));
}

/** Text that fractions share when they are the same up to a rational factor above and below. */
export function fractionText({ over, under }: Fraction): string {
  if (under === ONE_POLYNOMIAL) return polynomialText(over);
  const content = contentOf(under);
  const scale = divide(ONE, content);
  return `${polynomialText(scalePolynomial(over, scale))}|${polynomialText(scalePolynomial(under, scale))}`;
}

/** The exact value of a constant in rational numbers, however it is written (√2·√8 is 4); null where it is none. */
export function simplifiedRational(algebra: Algebra, expression: Expression): Rational | null {
  return exactRational(expression) ?? rationalOfFraction(normalForm(algebra, expression));
}
