import {
  absolute,
  add,
  compareRationals,
  divide,
  multiply,
  negate,
  power,
  type Rational,
  rational,
  subtract,
} from '../base/rational.ts';

export interface WrittenNumber {
  /** As it stands in the text, trimmed. */
  text: string;
  value: Rational;
  /** It was written with a percent sign or the word; `value` is then already divided by 100. */
  percent: boolean;
  /** Start in the normalised text. */
  index: number;
  end: number;
}

const MOST_DIGITS = 400;
const MOST_EXPONENT = 400;
const TEN = rational(10n);
const HUNDREDTH = rational(1n, 100n);

const DIGITS = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)`;
const DECIMAL = String.raw`(?:${DIGITS}(?:\.\d+)?|\.\d+)`;
const CURRENCY = '[$€£¥₹]';
/**
 * `-5`: no sign behind a digit, letter or closing bracket (10-5), nor behind a digit and a space (10 -5). `- 5`: only
 * after `=`, `:`, `(` or at the start.
 */
const SIGN = String.raw`(?:(?<![\p{L}\d)\]%]|[\d)\]%]\s)(?<sign>[-+])|(?<=^\s?|[=:(]\s?)(?<loose>[-+])\s)`;
/**
 * sign, currency, whole part of a mixed number, then a fraction a/b or a decimal with an optional power of ten,
 * percent. Not inside a word or behind `^` or `_` (cm^2, x_1, H2O).
 */
const MIXED = String.raw`(?:(?<whole>\d{1,9})\s(?=\d{1,9}\s?/\s?\d))?`;
const FRACTION = String.raw`(?<top>${DECIMAL})\s?/\s?(?<bottom>${DECIMAL})`;
const POWER = String.raw`(?:[eE](?<exponent>[+-]?\d{1,9})(?!\d))?`;
const PERCENT = String.raw`(?:\s?(?<percent>%|percent\b|per cent\b))?`;
const NUMBER = new RegExp(
  String.raw`(?<![\p{L}\d_^.])${SIGN}?(?:${CURRENCY}\s?(?<inner>-)?)?${MIXED}(?:${FRACTION}|(?<decimal>${DECIMAL})${POWER})${PERCENT}`,
  'gu',
);
/**
 * Text with one spelling for each sign: minus signs, vulgar fractions (½ → 1/2), full-width digits, LaTeX fractions,
 * percent and spacing; superscripts are taken away (cm² → cm).
 */
export function normaliseNumberText(text: string): string {
  return text
    .replace(/[\u00B2\u00B3\u00B9\u2070-\u2079]+/g, '')
    .replace(/(\d)(?=[\u00BC-\u00BE\u2150-\u215E])/g, '$1 ')
    .normalize('NFKC')
    .replace(/[\u2212\u2010\u2011\uFE63\uFF0D]/g, '-')
    .replace(/\u2044/g, '/')
    .replace(/\\[dt]?frac\s*\{([^{}]{1,40})\}\s*\{([^{}]{1,40})\}/g, ' $1/$2')
    .replace(/\\([$%])/g, '$1')
    .replace(/\\[,;! ]|\{,\}/g, (match) => (match === '{,}' ? ',' : ' '))
    .replace(/\\text\s*\{([^{}]*)\}/g, ' $1');
}

/**
 * Every number of a normalised text, in order. Numbers of more than 400 digits or powers beyond 10^±400 are passed
 * over.
 */
export function numbersIn(normalised: string): WrittenNumber[] {
  const found: WrittenNumber[] = [];
  for (const match of normalised.matchAll(NUMBER)) {
    const value = exactValue(match.groups as Record<string, string | undefined>);
    if (value === null) continue;
    const text = match[0].trim();
    found.push({
      text,
      value,
      percent: match.groups?.percent !== undefined,
      index: match.index,
      end: match.index + match[0].length,
    });
  }
  return found;
}

function exactValue(parts: Record<string, string | undefined>): Rational | null {
  const { top, bottom, decimal, whole, exponent } = parts;
  if ([top, bottom, decimal].some((part) => part !== undefined && part.length > MOST_DIGITS)) return null;
  let value = decimalValue(top ?? (decimal as string));
  if (bottom !== undefined) {
    const below = decimalValue(bottom);
    if (below.numerator === 0n) return null;
    value = divide(value, below);
  }
  if (whole !== undefined) value = add(value, rational(BigInt(whole)));
  if (exponent !== undefined) {
    if (Math.abs(Number(exponent)) > MOST_EXPONENT) return null;
    value = multiply(value, power(TEN, BigInt(exponent)));
  }
  if (parts.percent !== undefined) value = multiply(value, HUNDREDTH);
  return [parts.sign, parts.loose, parts.inner].includes('-') ? negate(value) : value;
}

function decimalValue(text: string): Rational {
  const [integer = '', fraction = ''] = text.replaceAll(',', '').split('.');
  return rational(BigInt(`${integer}${fraction}` || '0'), 10n ** BigInt(fraction.length));
}

/** |left − right| ≤ |right| / `parts`, exactly. */
export function isWithin(left: Rational, right: Rational, parts: bigint): boolean {
  return compareRationals(multiply(absolute(subtract(left, right)), rational(parts)), absolute(right)) <= 0;
}
