/** An exact fraction in lowest terms; `denominator` > 0. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Lowest terms with a positive denominator. `denominator` must not be 0. */
export function rational(numerator: bigint, denominator = 1n): Rational {
  const sign = denominator < 0n ? -1n : 1n;
  if (denominator === 1n) return { numerator, denominator };
  const divisor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator * sign);
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor };
}

/** Of two integers ≥ 0; 1 for two zeros. */
export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a === 0n ? 1n : a;
}

export const ZERO: Rational = { numerator: 0n, denominator: 1n };
export const ONE: Rational = { numerator: 1n, denominator: 1n };

export function add(a: Rational, b: Rational): Rational {
  if (a.denominator === 1n && b.denominator === 1n) return { numerator: a.numerator + b.numerator, denominator: 1n };
  return rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

export function subtract(a: Rational, b: Rational): Rational {
  return add(a, negate(b));
}

export function multiply(a: Rational, b: Rational): Rational {
  if (a.denominator === 1n && b.denominator === 1n) return { numerator: a.numerator * b.numerator, denominator: 1n };
  return rational(a.numerator * b.numerator, a.denominator * b.denominator);
}

export function negate(a: Rational): Rational {
  return { numerator: -a.numerator, denominator: a.denominator };
}

/** `b` must not be 0. */
export function divide(a: Rational, b: Rational): Rational {
  return rational(a.numerator * b.denominator, a.denominator * b.numerator);
}

export function absolute(a: Rational): Rational {
  return a.numerator < 0n ? negate(a) : a;
}

/** `base` to an integer power; 0 to a negative power must not be asked for. The size of the result is the caller's to bound. */
export function power(base: Rational, exponent: bigint): Rational {
  const size = exponent < 0n ? -exponent : exponent;
  const raised = { numerator: base.numerator ** size, denominator: base.denominator ** size };
  return exponent < 0n ? rational(raised.denominator, raised.numerator) : raised;
}

/** Negative, 0 or positive as a − b is. */
export function compareRationals(a: Rational, b: Rational): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function isSameRational(a: Rational, b: Rational): boolean {
  return a.numerator === b.numerator && a.denominator === b.denominator;
}

/** Digits behind the point up to which a terminating decimal is written in full. */
const EXACT_DECIMALS = 30;
const ROUNDED_DIGITS = 10;

/**
 * An integer or a terminating decimal in full, anything else rounded (half away from zero) to 10 significant digits. Never an exponent, no
 * trailing zeros.
 */
export function formatRational({ numerator, denominator }: Rational): string {
  const sign = numerator < 0n ? '-' : '';
  const size = numerator < 0n ? -numerator : numerator;
  if (denominator === 1n) return `${sign}${size}`;
  const exact = terminatingDecimals(denominator);
  const decimals = exact ?? Math.max(0, ROUNDED_DIGITS - magnitude(size, denominator));
  const scaled = (2n * size * 10n ** BigInt(decimals) + denominator) / (2n * denominator);
  const digits = scaled.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Digits behind the point of 1/denominator; null when it does not end within EXACT_DECIMALS. */
function terminatingDecimals(denominator: bigint): number | null {
  for (let decimals = 1; decimals <= EXACT_DECIMALS; decimals++) {
    if (10n ** BigInt(decimals) % denominator === 0n) return decimals;
  }
  return null;
}

/** m with 10^(m-1) ≤ size / denominator < 10^m. */
function magnitude(size: bigint, denominator: bigint): number {
  const estimate = size.toString().length - denominator.toString().length;
  const power = BigInt(Math.abs(estimate));
  const reaches = estimate >= 0 ? size >= denominator * 10n ** power : size * 10n ** power >= denominator;
  return reaches ? estimate + 1 : estimate;
}
