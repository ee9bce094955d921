import { multiply, ONE, type Rational, rational } from '../../base/rational.ts';
import { ANSWER_LIMITS, Unreadable } from './answer-limits.ts';
import {
  type Algebra,
  atomPolynomial,
  multiplyPolynomials,
  ONE_POLYNOMIAL,
  type Polynomial,
  scalePolynomial,
} from './polynomial.ts';
import { bitLength, floorDivide, integerRoot } from './real-interval.ts';

const LARGEST_TRIAL_DIVISOR = 10_007n;

interface PrimePower {
  readonly prime: bigint;
  readonly exponent: bigint;
  /** False for a rest that trial division left over and that may be a product of large primes. */
  readonly proven: boolean;
}

/** value^power as a rational times roots of primes, exactly; `value` > 0. `\sqrt{8}` → 2·2^(1/2). */
export function positiveRootOf(algebra: Algebra, value: Rational, power: Rational): Polynomial {
  let result = ONE_POLYNOMIAL;
  for (const [integer, sign] of [
    [value.numerator, 1n],
    [value.denominator, -1n],
  ] as const) {
    for (const { prime, exponent, proven } of primePowers(algebra, integer)) {
      const total = multiply(power, rational(sign * exponent));
      result = multiplyPolynomials(algebra, result, primeToPower(algebra, prime, proven, total));
    }
  }
  return result;
}

function primeToPower(algebra: Algebra, prime: bigint, proven: boolean, exponent: Rational): Polynomial {
  const whole = floorDivide(exponent.numerator, exponent.denominator);
  const size = whole < 0n ? -whole : whole;
  if (size * BigInt(bitLength(prime)) > BigInt(ANSWER_LIMITS.integerBits))
    throw new Unreadable('limit', 'a power is too large');
  const outside = whole >= 0n ? rational(prime ** size) : rational(1n, prime ** size);
  const rest = rational(exponent.numerator - whole * exponent.denominator, exponent.denominator);
  const root =
    rest.numerator === 0n
      ? ONE_POLYNOMIAL
      : atomPolynomial(algebra, `prime ${prime}`, { kind: 'prime', prime, proven }, rest);
  return scalePolynomial(root, outside);
}

/** By trial division; a rest is taken apart further only if it is a perfect power. */
function primePowers(algebra: Algebra, integer: bigint): PrimePower[] {
  const powers: PrimePower[] = [];
  let rest = integer;
  for (
    let divisor = 2n;
    divisor <= LARGEST_TRIAL_DIVISOR && divisor * divisor <= rest;
    divisor += divisor === 2n ? 1n : 2n
  ) {
    algebra.effort.spend(1);
    let exponent = 0n;
    while (rest % divisor === 0n) {
      rest /= divisor;
      exponent++;
    }
    if (exponent > 0n) powers.push({ prime: divisor, exponent, proven: true });
  }
  if (rest === ONE.numerator) return powers;
  for (const index of [7, 5, 3, 2]) {
    const root = integerRoot(rest, index);
    if (root ** BigInt(index) === rest)
      return [...powers, { prime: root, exponent: BigInt(index), proven: isProven(root) }];
  }
  return [...powers, { prime: rest, exponent: 1n, proven: isProven(rest) }];
}

function isProven(rest: bigint): boolean {
  return rest < LARGEST_TRIAL_DIVISOR * LARGEST_TRIAL_DIVISOR;
}
