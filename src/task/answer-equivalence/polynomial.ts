import { add, multiply, negate, ONE, type Rational, rational, ZERO } from '../../base/rational.ts';
import type { Effort } from './answer-limits.ts';
import { Unreadable } from './answer-limits.ts';
import { floorDivide } from './real-interval.ts';

/**
 * Something that powers are taken of. `prime`: a positive integer under a root (`proven`: certainly a prime), exponents kept in [0, 1). `root`: the
 * `index`-th root of `radicand`, exponents kept below `index`. `opaque`: anything else with a value.
 */
export type Atom =
  | { readonly kind: 'prime'; readonly prime: bigint; readonly proven: boolean }
  | { readonly kind: 'pi' | 'e' | 'i' | 'symbol' | 'opaque' | 'factorial' }
  | { readonly kind: 'root'; readonly index: number; readonly radicand: Polynomial };

/** coefficient × Π atom^exponent. `powers` by the atom's name, in ascending order of names, no exponent 0. */
export interface Term {
  readonly coefficient: Rational;
  readonly powers: ReadonlyMap<string, Rational>;
}

/** Sum of terms with different powers, by the text of their powers; no coefficient 0. Empty is 0. */
export type Polynomial = ReadonlyMap<string, Term>;

/** What the polynomials of one comparison share. */
export interface Algebra {
  readonly atoms: Map<string, Atom>;
  readonly effort: Effort;
}

const MOST_TERMS = 2_000;
const NO_POWERS: ReadonlyMap<string, Rational> = new Map();
export const ZERO_POLYNOMIAL: Polynomial = new Map();

export function constantPolynomial(value: Rational): Polynomial {
  return value.numerator === 0n ? ZERO_POLYNOMIAL : new Map([['', { coefficient: value, powers: NO_POWERS }]]);
}

export const ONE_POLYNOMIAL = constantPolynomial(ONE);

/** An atom to a power that is already in its range. */
export function atomPolynomial(algebra: Algebra, name: string, atom: Atom, exponent: Rational = ONE): Polynomial {
  algebra.atoms.set(name, atom);
  const term: Term = { coefficient: ONE, powers: new Map([[name, exponent]]) };
  return new Map([[powersText(term.powers), term]]);
}

function powersText(powers: ReadonlyMap<string, Rational>): string {
  let text = '';
  for (const [name, { numerator, denominator }] of powers) text += `${name}^${numerator}/${denominator}*`;
  return text;
}

/** The rational that a polynomial is, null where it has atoms. */
export function rationalOf(polynomial: Polynomial): Rational | null {
  if (polynomial.size === 0) return ZERO;
  const only = polynomial.get('');
  return polynomial.size === 1 && only !== undefined ? only.coefficient : null;
}

export function addPolynomials(a: Polynomial, b: Polynomial): Polynomial {
  if (a.size === 0) return b;
  const sum = new Map(a);
  for (const [key, term] of b) addTerm(sum, key, term);
  return sum;
}

function addTerm(sum: Map<string, Term>, key: string, term: Term): void {
  const known = sum.get(key);
  const coefficient = known === undefined ? term.coefficient : add(known.coefficient, term.coefficient);
  if (coefficient.numerator === 0n) sum.delete(key);
  else sum.set(key, { coefficient, powers: term.powers });
}

export function negatePolynomial(a: Polynomial): Polynomial {
  return scalePolynomial(a, rational(-1n));
}

export function scalePolynomial(a: Polynomial, factor: Rational): Polynomial {
  if (factor.numerator === 0n) return ZERO_POLYNOMIAL;
  return new Map(
    [...a].map(([key, term]) => [key, { coefficient: multiply(term.coefficient, factor), powers: term.powers }]),
  );
}

/** Throws Unreadable `limit` when the product would have too many terms. */
export function multiplyPolynomials(algebra: Algebra, a: Polynomial, b: Polynomial): Polynomial {
  if (a.size * b.size > MOST_TERMS * 8) throw new Unreadable('limit', 'a product has too many terms');
  const product = new Map<string, Term>();
  for (const left of a.values()) {
    for (const right of b.values()) {
      algebra.effort.spend(3);
      for (const [key, term] of multiplyTerms(algebra, left, right)) addTerm(product, key, term);
    }
  }
  if (product.size > MOST_TERMS) throw new Unreadable('limit', 'a sum has too many terms');
  return product;
}

/** Of the same product, terms in normal form; several where a root was multiplied out. */
function multiplyTerms(algebra: Algebra, a: Term, b: Term): Polynomial {
  const coefficient = multiply(a.coefficient, b.coefficient);
  if (a.powers.size === 0 || b.powers.size === 0) {
    const powers = a.powers.size === 0 ? b.powers : a.powers;
    return new Map([[powersText(powers), { coefficient, powers }]]);
  }
  const powers = new Map(a.powers);
  for (const [name, exponent] of b.powers) powers.set(name, add(powers.get(name) ?? ZERO, exponent));
  return normalTerm(algebra, coefficient, powers);
}

/** coefficient × Π atom^exponent with every exponent brought into its atom's range. */
export function normalTerm(algebra: Algebra, coefficient: Rational, raw: ReadonlyMap<string, Rational>): Polynomial {
  let factor = coefficient;
  let multipliedOut: Polynomial | null = null;
  const kept: [string, Rational][] = [];
  for (const [name, exponent] of raw) {
    const atom = algebra.atoms.get(name) as Atom;
    const whole = floorDivide(exponent.numerator, exponent.denominator);
    let rest = exponent;
    if (atom.kind === 'prime') {
      rest = add(exponent, rational(-whole));
      factor = multiply(factor, integerPower(atom.prime, whole));
    } else if (atom.kind === 'i') {
      const turn = ((whole % 4n) + 4n) % 4n;
      rest = rational(turn % 2n);
      if (turn >= 2n) factor = negate(factor);
    } else if (atom.kind === 'root' && whole >= BigInt(atom.index)) {
      const times = whole / BigInt(atom.index);
      rest = add(exponent, rational(-times * BigInt(atom.index)));
      for (let count = 0n; count < times; count++) {
        multipliedOut = multiplyPolynomials(algebra, multipliedOut ?? ONE_POLYNOMIAL, atom.radicand);
      }
    }
    if (rest.numerator !== 0n) kept.push([name, rest]);
  }
  const powers = new Map(kept.sort(([left], [right]) => (left < right ? -1 : 1)));
  const term: Polynomial = new Map([[powersText(powers), { coefficient: factor, powers }]]);
  return multipliedOut === null ? term : multiplyPolynomials(algebra, term, multipliedOut);
}

function integerPower(prime: bigint, exponent: bigint): Rational {
  if (exponent === 0n) return ONE;
  return exponent > 0n ? rational(prime ** exponent) : rational(1n, prime ** -exponent);
}

/** 1 over the only term of a polynomial. */
export function invertTerm(algebra: Algebra, { coefficient, powers }: Term): Polynomial {
  const inverse = rational(coefficient.denominator, coefficient.numerator);
  return normalTerm(algebra, inverse, new Map([...powers].map(([name, exponent]) => [name, negate(exponent)])));
}

/** Text that equal polynomials of one algebra share. */
export function polynomialText(polynomial: Polynomial): string {
  return [...polynomial]
    .map(([key, { coefficient }]) => `${coefficient.numerator}/${coefficient.denominator}*${key}`)
    .sort()
    .join('+');
}

/**
 * True when a polynomial in these atoms is 0 only if it has no term: roots of different proven primes, i and free symbols, with one of π and e
 * (which are each transcendental).
 */
export function hasIndependentAtoms(algebra: Algebra, polynomial: Polynomial): boolean {
  const kinds = new Set<string>();
  for (const { powers } of polynomial.values()) {
    for (const name of powers.keys()) {
      const atom = algebra.atoms.get(name) as Atom;
      if (atom.kind === 'opaque' || atom.kind === 'root' || (atom.kind === 'prime' && !atom.proven)) return false;
      kinds.add(atom.kind);
    }
  }
  return !(kinds.has('pi') && kinds.has('e'));
}
