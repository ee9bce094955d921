import { Unreadable } from './answer-limits.ts';
import { bitLength, floorDivide, Imprecise, integerRoot, negateInterval, type RealInterval } from './real-interval.ts';

/**
 * exp, ln, sin, cos and atan of intervals. Each value is computed with guard bits and widened by more than its rounding error, so that the true value is
 * always inside. Series and argument reductions are the textbook ones.
 */

const GUARD_BITS = 96;
/** Rounding of the longest computation below stays under 2^ERROR_BITS units of the guarded precision. */
const ERROR_BITS = 64n;
/** exp beyond 2^±this is refused. */
const MOST_BINARY_EXPONENT = 20_000n;

const constants = new Map<string, bigint>();

function constant(name: string, bits: number, compute: () => bigint): bigint {
  const key = `${name}${bits}`;
  const known = constants.get(key);
  if (known !== undefined) return known;
  const value = compute();
  if (constants.size < 1_000) constants.set(key, value);
  return value;
}

/** Σ sign^k / ((2k+1) n^(2k+1)): atan(1/n) for sign −1, atanh(1/n) for +1. */
function inverseSeries(n: bigint, sign: 1n | -1n, bits: number): bigint {
  let power = (1n << BigInt(bits)) / n;
  let sum = power;
  for (let k = 3n, factor = sign; power !== 0n; k += 2n, factor *= sign) {
    power /= n * n;
    sum += (factor * power) / k;
  }
  return sum;
}

/** π, within 2^20 units. Machin's formula. */
function pi(bits: number): bigint {
  return constant('pi', bits, () => 16n * inverseSeries(5n, -1n, bits) - 4n * inverseSeries(239n, -1n, bits));
}

function logarithmOfTwo(bits: number): bigint {
  return constant('ln2', bits, () => 2n * inverseSeries(3n, 1n, bits));
}

/** A value at `bits + GUARD_BITS` (+ `extra`) → an interval at `bits` around it. */
function widened(value: bigint, shift: bigint): RealInterval {
  const error = 1n << ERROR_BITS;
  return { low: (value - error) >> shift, high: ((value + error) >> shift) + 1n };
}

export function piInterval(bits: number): RealInterval {
  return widened(pi(bits + GUARD_BITS), BigInt(GUARD_BITS));
}

/** Throws Unreadable `limit` where the result would be larger than 2^20000, Imprecise where it is too small to be told from 0. */
export function exponential(a: RealInterval, bits: number): RealInterval {
  const low = exponentialOf(a.low, bits);
  return { low: low.low, high: a.low === a.high ? low.high : exponentialOf(a.high, bits).high };
}

function exponentialOf(x: bigint, bits: number): RealInterval {
  const halvings = 12n;
  const guard = BigInt(GUARD_BITS + 32);
  const rough = floorDivide(x, logarithmOfTwo(bits + 16) >> 16n);
  if (rough > MOST_BINARY_EXPONENT) throw new Unreadable('limit', 'a power is too large');
  if (rough < -BigInt(bits >> 1)) throw new Imprecise();
  const extra = guard + (rough > 0n ? rough : 0n);
  const work = BigInt(bits) + extra;
  const reduced = ((x << extra) - rough * logarithmOfTwo(Number(work))) >> halvings;
  let term = 1n << work;
  let sum = term;
  for (let k = 1n; term !== 0n && term !== -1n; k++) {
    term = (term * reduced) >> work;
    term = floorDivide(term, k);
    sum += term;
  }
  for (let k = 0n; k < halvings; k++) sum = (sum * sum) >> work;
  const value = rough >= 0n ? sum << rough : sum >> -rough;
  const shift = extra;
  const error = 1n << (ERROR_BITS + (rough > 0n ? rough : 0n));
  return { low: (value - error) >> shift, high: ((value + error) >> shift) + 1n };
}

/** Of an interval > 0. Throws Imprecise where it may hold 0. */
export function logarithm(a: RealInterval, bits: number): RealInterval {
  if (a.low <= 0n) throw new Imprecise();
  const low = logarithmOf(a.low, bits);
  return { low: low.low, high: a.low === a.high ? low.high : logarithmOf(a.high, bits).high };
}

function logarithmOf(x: bigint, bits: number): RealInterval {
  const roots = 8n;
  const work = bits + GUARD_BITS;
  const one = 1n << BigInt(work);
  const exponent = bitLength(x) - bits;
  const shift = BigInt(GUARD_BITS - exponent);
  let mantissa = shift >= 0n ? x << shift : x >> -shift;
  for (let k = 0n; k < roots; k++) mantissa = integerRoot(mantissa << BigInt(work), 2);
  const ratio = ((mantissa - one) << BigInt(work)) / (mantissa + one);
  const square = (ratio * ratio) >> BigInt(work);
  let power = ratio;
  let sum = ratio;
  for (let k = 3n; power !== 0n && power !== -1n; k += 2n) {
    power = (power * square) >> BigInt(work);
    sum += power / k;
  }
  const value = (sum << (roots + 1n)) + BigInt(exponent) * logarithmOfTwo(work);
  return widened(value, BigInt(GUARD_BITS));
}

export function sine(a: RealInterval, bits: number): RealInterval {
  return lipschitz(a, (middle) => sineAndCosine(middle, bits).sine, bits);
}

export function cosine(a: RealInterval, bits: number): RealInterval {
  return lipschitz(a, (middle) => sineAndCosine(middle, bits).cosine, bits);
}

/** Bounds of a function that changes by at most as much as its argument and stays in [−1, 1]. */
function lipschitz(a: RealInterval, at: (middle: bigint) => RealInterval, bits: number): RealInterval {
  const middle = (a.low + a.high) >> 1n;
  const radius = a.high - middle;
  const value = at(middle);
  const one = 1n << BigInt(bits);
  const low = value.low - radius;
  const high = value.high + radius;
  return { low: low < -one ? -one : low, high: high > one ? one : high };
}

function sineAndCosine(x: bigint, bits: number): { sine: RealInterval; cosine: RealInterval } {
  const extra = GUARD_BITS + Math.max(0, bitLength(x) - bits);
  if (extra > GUARD_BITS + Number(MOST_BINARY_EXPONENT)) throw new Unreadable('limit', 'an angle is too large');
  const work = BigInt(bits + extra);
  const rightAngle = pi(Number(work)) >> 1n;
  const scaled = x << BigInt(extra);
  const quadrant = floorDivide(2n * scaled + rightAngle, 2n * rightAngle);
  const angle = scaled - quadrant * rightAngle;
  const square = (angle * angle) >> work;
  const series = (first: bigint, from: bigint): bigint => {
    let term = first;
    let sum = first;
    for (let k = from; term !== 0n && term !== -1n; k += 2n) {
      term = floorDivide(-(term * square) >> work, k * (k + 1n));
      sum += term;
    }
    return sum;
  };
  const sinus = series(angle, 2n);
  const cosinus = series(1n << work, 1n);
  const turned = [sinus, cosinus, -sinus, -cosinus];
  const turn = Number(((quadrant % 4n) + 4n) % 4n);
  // Error of the reduced angle: quadrant × error of π, covered because `extra` grows with the angle.
  const slack = BigInt(extra);
  return { sine: widened(turned[turn] as bigint, slack), cosine: widened(turned[(turn + 1) % 4] as bigint, slack) };
}

export function arcTangent(a: RealInterval, bits: number): RealInterval {
  const low = arcTangentOf(a.low, bits);
  return { low: low.low, high: a.low === a.high ? low.high : arcTangentOf(a.high, bits).high };
}

function arcTangentOf(x: bigint, bits: number): RealInterval {
  if (x < 0n) return negateInterval(arcTangentOf(-x, bits));
  const halvings = 8n;
  const work = BigInt(bits + GUARD_BITS);
  const one = 1n << work;
  let value = x << BigInt(GUARD_BITS);
  const isInverted = value > one;
  if (isInverted) value = (one * one) / value;
  for (let k = 0n; k < halvings; k++) value = (value << work) / (one + integerRoot(one * one + value * value, 2));
  const square = (value * value) >> work;
  let power = value;
  let sum = value;
  for (let k = 3n, sign = -1n; power !== 0n; k += 2n, sign = -sign) {
    power = (power * square) >> work;
    sum += (sign * power) / k;
  }
  const angle = sum << halvings;
  return widened(isInverted ? (pi(Number(work)) >> 1n) - angle : angle, BigInt(GUARD_BITS));
}
