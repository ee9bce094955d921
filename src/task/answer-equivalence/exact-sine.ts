import { type Rational, rational } from '../../base/rational.ts';
import { type Algebra, constantPolynomial, type Polynomial, scalePolynomial } from './polynomial.ts';
import { positiveRootOf } from './rational-root.ts';
import { floorDivide } from './real-interval.ts';

const HALF = rational(1n, 2n);

/** sin(halfTurns·π) for multiples of 1/6 and 1/4, null for other angles. */
export function exactSine(algebra: Algebra, halfTurns: Rational): Polynomial | null {
  const twelfths = halfTurns.numerator * 12n;
  if (twelfths % halfTurns.denominator !== 0n) return null;
  const step = twelfths / halfTurns.denominator;
  const position = step - 24n * floorDivide(step, 24n);
  const isNegative = position > 12n;
  const inUpperHalf = isNegative ? position - 12n : position;
  const size = sineOfTwelfths(algebra, inUpperHalf > 6n ? 12n - inUpperHalf : inUpperHalf);
  return size === null || !isNegative ? size : scalePolynomial(size, rational(-1n));
}

/** sin(n·π/12), 0 ≤ n ≤ 6. */
function sineOfTwelfths(algebra: Algebra, n: bigint): Polynomial | null {
  switch (n) {
    case 0n:
      return constantPolynomial(rational(0n));
    case 2n:
      return constantPolynomial(HALF);
    case 3n:
      return scalePolynomial(positiveRootOf(algebra, rational(2n), HALF), HALF);
    case 4n:
      return scalePolynomial(positiveRootOf(algebra, rational(3n), HALF), HALF);
    case 6n:
      return constantPolynomial(rational(1n));
    default:
      return null;
  }
}
