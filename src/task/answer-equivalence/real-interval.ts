import { greatestCommonDivisor, type Rational } from '../../base/rational.ts';
import { Unreadable } from './answer-limits.ts';

/** All reals from `low` to `high`, both in units of 2^-bits of the precision they were made with. `low` ≤ `high`. */
export interface RealInterval {
  readonly low: bigint;
  readonly high: bigint;
}

/** A sign or an order cannot be told at this precision. Never leaves this folder. */
export class Imprecise extends Error {
  constructor() {
    super('more digits are needed');
    this.name = 'Imprecise';
  }
}

export const ZERO_INTERVAL: RealInterval = { low: 0n, high: 0n };

export function fromRational({ numerator, denominator }: Rational, bits: number): RealInterval {
  const scaled = numerator << BigInt(bits);
  return { low: floorDivide(scaled, denominator), high: ceilDivide(scaled, denominator) };
}

export function addIntervals(a: RealInterval, b: RealInterval): RealInterval {
  return { low: a.low + b.low, high: a.high + b.high };
}

export function negateInterval(a: RealInterval): RealInterval {
  return { low: -a.high, high: -a.low };
}

export function multiplyIntervals(a: RealInterval, b: RealInterval, bits: number): RealInterval {
  const shift = BigInt(bits);
  if (a.low === a.high && b.low === b.high) {
    const product = a.low * b.low;
    return { low: product >> shift, high: -(-product >> shift) };
  }
  const products = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
  return { low: least(products) >> shift, high: -(-greatest(products) >> shift) };
}

/** Throws Unreadable `undefined` for division by exactly 0, Imprecise where the divisor may be 0. */
export function divideIntervals(a: RealInterval, b: RealInterval, bits: number): RealInterval {
  if (b.low === 0n && b.high === 0n) throw new Unreadable('undefined', 'it divides by zero');
  if (b.low <= 0n && b.high >= 0n) throw new Imprecise();
  const shift = BigInt(bits);
  const over = [a.low << shift, a.high << shift];
  const under = [b.low, b.high];
  return {
    low: least(over.flatMap((top) => under.map((bottom) => floorDivide(top, bottom)))),
    high: greatest(over.flatMap((top) => under.map((bottom) => ceilDivide(top, bottom)))),
  };
}

/** Negative, 0 (exactly 0) or positive. Throws Imprecise where the interval holds 0 and more. */
export function signOf(a: RealInterval): number {
  if (a.low > 0n) return 1;
  if (a.high < 0n) return -1;
  if (a.low === 0n && a.high === 0n) return 0;
  throw new Imprecise();
}

export function overlaps(a: RealInterval, b: RealInterval): boolean {
  return a.low <= b.high && b.low <= a.high;
}

export function absoluteInterval(a: RealInterval): RealInterval {
  if (a.low >= 0n) return a;
  if (a.high <= 0n) return negateInterval(a);
  return { low: 0n, high: greatest([-a.low, a.high]) };
}

/** Of an interval ≥ 0; a lower end a little under 0 counts as 0. */
export function squareRoot(a: RealInterval, bits: number): RealInterval {
  return rootInterval(a, 2, bits);
}

/** n-th root of an interval ≥ 0, `index` ≥ 2. */
export function rootInterval(a: RealInterval, index: number, bits: number): RealInterval {
  const shift = BigInt(bits) * BigInt(index - 1);
  const low = a.low <= 0n ? 0n : integerRoot(a.low << shift, index);
  return { low, high: a.high <= 0n ? 0n : integerRoot(a.high << shift, index) + 1n };
}

/** ⌊n-th root⌋ of an integer ≥ 0, by Newton's iteration from above. */
export function integerRoot(value: bigint, index: number): bigint {
  if (value < 2n) return value;
  const order = BigInt(index);
  let estimate = 1n << BigInt(Math.floor((bitLength(value) - 1) / index) + 1);
  for (;;) {
    const next = ((order - 1n) * estimate + value / estimate ** (order - 1n)) / order;
    if (next >= estimate) return estimate;
    estimate = next;
  }
}

/** Bits of the absolute value; 0 for 0. */
export function bitLength(value: bigint): number {
  const size = value < 0n ? -value : value;
  if (size === 0n) return 0;
  const hexadecimal = size.toString(16);
  return (hexadecimal.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hexadecimal[0] as string, 16)));
}

export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return -floorDivide(-a, b);
}

function least(values: readonly bigint[]): bigint {
  return values.toSorted(ascending)[0] as bigint;
}

function greatest(values: readonly bigint[]): bigint {
  return values.toSorted(ascending).at(-1) as bigint;
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Least common multiple of integers > 0. */
export function leastCommonMultiple(a: bigint, b: bigint): bigint {
  return (a / greatestCommonDivisor(a, b)) * b;
}
