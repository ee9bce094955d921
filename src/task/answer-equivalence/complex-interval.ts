import { Unreadable } from './answer-limits.ts';
import { arcTangent, cosine, exponential, logarithm, piInterval, sine } from './elementary-functions.ts';
import {
  absoluteInterval,
  addIntervals,
  divideIntervals,
  Imprecise,
  multiplyIntervals,
  negateInterval,
  type RealInterval,
  rootInterval,
  signOf,
  squareRoot,
  ZERO_INTERVAL,
} from './real-interval.ts';

/** A rectangle of complex numbers. */
export interface ComplexInterval {
  readonly re: RealInterval;
  readonly im: RealInterval;
}

export function real(re: RealInterval): ComplexInterval {
  return { re, im: ZERO_INTERVAL };
}

/** Exactly real, not just nearly. */
export function isReal({ im }: ComplexInterval): boolean {
  return im.low === 0n && im.high === 0n;
}

export function addComplex(a: ComplexInterval, b: ComplexInterval): ComplexInterval {
  return { re: addIntervals(a.re, b.re), im: addIntervals(a.im, b.im) };
}

export function negateComplex(a: ComplexInterval): ComplexInterval {
  return { re: negateInterval(a.re), im: negateInterval(a.im) };
}

export function multiplyComplex(a: ComplexInterval, b: ComplexInterval, bits: number): ComplexInterval {
  const times = (left: RealInterval, right: RealInterval): RealInterval => multiplyIntervals(left, right, bits);
  if (isReal(a) && isReal(b)) return real(times(a.re, b.re));
  return {
    re: addIntervals(times(a.re, b.re), negateInterval(times(a.im, b.im))),
    im: addIntervals(times(a.re, b.im), times(a.im, b.re)),
  };
}

export function divideComplex(a: ComplexInterval, b: ComplexInterval, bits: number): ComplexInterval {
  if (isReal(b))
    return { re: divideIntervals(a.re, b.re, bits), im: isReal(a) ? ZERO_INTERVAL : divideIntervals(a.im, b.re, bits) };
  const size = addIntervals(squared(b.re, bits), squared(b.im, bits));
  const over = multiplyComplex(a, { re: b.re, im: negateInterval(b.im) }, bits);
  return { re: divideIntervals(over.re, size, bits), im: divideIntervals(over.im, size, bits) };
}

function squared(a: RealInterval, bits: number): RealInterval {
  const size = absoluteInterval(a);
  return multiplyIntervals(size, size, bits);
}

export function modulus(a: ComplexInterval, bits: number): RealInterval {
  if (isReal(a)) return absoluteInterval(a.re);
  return squareRoot(addIntervals(squared(a.re, bits), squared(a.im, bits)), bits);
}

export function exponentialComplex(a: ComplexInterval, bits: number): ComplexInterval {
  const size = exponential(a.re, bits);
  if (isReal(a)) return real(size);
  return { re: multiplyIntervals(size, cosine(a.im, bits), bits), im: multiplyIntervals(size, sine(a.im, bits), bits) };
}

/** Principal branch. Throws Unreadable `undefined` for ln 0, Imprecise on the branch cut. */
export function logarithmComplex(a: ComplexInterval, bits: number): ComplexInterval {
  if (isReal(a)) {
    const sign = signOf(a.re);
    if (sign === 0) throw new Unreadable('undefined', 'it takes the logarithm of zero');
    return { re: logarithm(absoluteInterval(a.re), bits), im: sign > 0 ? ZERO_INTERVAL : piInterval(bits) };
  }
  return { re: logarithm(modulus(a, bits), bits), im: angleOf(a, bits) };
}

/** In (−π, π]. */
function angleOf({ re, im }: ComplexInterval, bits: number): RealInterval {
  if (re.low > 0n) return arcTangent(divideIntervals(im, re, bits), bits);
  const pi = piInterval(bits);
  const above = signOf(im) > 0;
  const quarter: RealInterval = { low: pi.low >> 1n, high: (pi.high >> 1n) + 1n };
  const fromVertical = arcTangent(divideIntervals(re, im, bits), bits);
  return addIntervals(above ? quarter : negateInterval(quarter), negateInterval(fromVertical));
}

/** Principal value of a^b; for a = 0 only where b is a real > 0. */
export function powerComplex(a: ComplexInterval, b: ComplexInterval, bits: number): ComplexInterval {
  if (isReal(a) && a.re.low === 0n && a.re.high === 0n) {
    if (isReal(b) && signOf(b.re) > 0) return a;
    throw new Unreadable('undefined', 'it raises zero to a power that is not positive');
  }
  return exponentialComplex(multiplyComplex(b, logarithmComplex(a, bits), bits), bits);
}

/** By repeated squaring; `exponent` ≥ 0. */
export function integerPower(a: ComplexInterval, exponent: number, bits: number): ComplexInterval {
  const one = real({ low: 1n << BigInt(bits), high: 1n << BigInt(bits) });
  let result = one;
  let square = a;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = multiplyComplex(result, square, bits);
    if (rest > 1) square = multiplyComplex(square, square, bits);
  }
  return result;
}

/** The real root where there is one (odd index of a negative real), else the principal one. */
export function rootComplex(a: ComplexInterval, index: number, bits: number): ComplexInterval {
  if (!isReal(a)) return powerComplex(a, real(reciprocal(index, bits)), bits);
  const sign = signOfNearly(a.re);
  const root = (of: RealInterval): RealInterval => {
    if (index <= 8) return rootInterval(of, index, bits);
    return of.high === 0n
      ? ZERO_INTERVAL
      : exponential(multiplyIntervals(logarithm(of, bits), reciprocal(index, bits), bits), bits);
  };
  if (sign >= 0) return real(root(a.re));
  if (index % 2 === 1) return real(negateInterval(root(negateInterval(a.re))));
  if (index === 2) return { re: ZERO_INTERVAL, im: root(negateInterval(a.re)) };
  return powerComplex(a, real(reciprocal(index, bits)), bits);
}

function reciprocal(index: number, bits: number): RealInterval {
  const value = (1n << BigInt(bits)) / BigInt(index);
  return { low: value, high: value + 1n };
}

function signOfNearly(a: RealInterval): number {
  if (a.low >= 0n) return 1;
  if (a.high < 0n) return -1;
  throw new Imprecise();
}

export function sineComplex(a: ComplexInterval, bits: number): ComplexInterval {
  if (isReal(a)) return real(sine(a.re, bits));
  const { cosh, sinh } = hyperbolic(a.im, bits);
  return { re: multiplyIntervals(sine(a.re, bits), cosh, bits), im: multiplyIntervals(cosine(a.re, bits), sinh, bits) };
}

export function cosineComplex(a: ComplexInterval, bits: number): ComplexInterval {
  if (isReal(a)) return real(cosine(a.re, bits));
  const { cosh, sinh } = hyperbolic(a.im, bits);
  return {
    re: multiplyIntervals(cosine(a.re, bits), cosh, bits),
    im: negateInterval(multiplyIntervals(sine(a.re, bits), sinh, bits)),
  };
}

export function hyperbolic(a: RealInterval, bits: number): { cosh: RealInterval; sinh: RealInterval } {
  const up = exponential(a, bits);
  const down = exponential(negateInterval(a), bits);
  const half = (b: RealInterval): RealInterval => ({ low: b.low >> 1n, high: (b.high >> 1n) + 1n });
  return { cosh: half(addIntervals(up, down)), sinh: half(addIntervals(up, negateInterval(down))) };
}
