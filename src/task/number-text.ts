/** An exact value: numerator over a positive denominator. Not necessarily reduced. */
export interface ExactNumber {
  numerator: bigint;
  denominator: bigint;
}

export interface WrittenNumber {
  /** As it stands in the text, trimmed. */
  text: string;
  value: ExactNumber;
  /** It was written with a percent sign or the word; `value` is then already divided by 100. */
  percent: boolean;
  /** Start in the normalised text. */
  index: number;
  end: number;
}

const MOST_DIGITS = 400;
const MOST_EXPONENT = 400;

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

function exactValue(parts: Record<string, string | undefined>): ExactNumber | null {
  const { top, bottom, decimal, whole, exponent } = parts;
  if ([top, bottom, decimal].some((part) => part !== undefined && part.length > MOST_DIGITS)) return null;
  let value: ExactNumber;
  if (top !== undefined && bottom !== undefined) {
    const above = decimalValue(top);
    const below = decimalValue(bottom);
    if (below.numerator === 0n) return null;
    value = {
      numerator: above.numerator * below.denominator,
      denominator: above.denominator * below.numerator,
    };
  } else {
    value = decimalValue(decimal as string);
  }
  if (whole !== undefined) value = { ...value, numerator: value.numerator + BigInt(whole) * value.denominator };
  if (exponent !== undefined) {
    const power = Number(exponent);
    if (Math.abs(power) > MOST_EXPONENT) return null;
    if (power >= 0) value = { ...value, numerator: value.numerator * 10n ** BigInt(power) };
    else value = { ...value, denominator: value.denominator * 10n ** BigInt(-power) };
  }
  if (parts.percent !== undefined) value = { ...value, denominator: value.denominator * 100n };
  const isNegative = [parts.sign, parts.loose, parts.inner].includes('-');
  return isNegative ? { ...value, numerator: -value.numerator } : value;
}

function decimalValue(text: string): ExactNumber {
  const [integer = '', fraction = ''] = text.replaceAll(',', '').split('.');
  return { numerator: BigInt(`${integer}${fraction}` || '0'), denominator: 10n ** BigInt(fraction.length) };
}

export function isInteger({ numerator, denominator }: ExactNumber): boolean {
  return numerator % denominator === 0n;
}

export function isEqual(left: ExactNumber, right: ExactNumber): boolean {
  return left.numerator * right.denominator === right.numerator * left.denominator;
}

/** |left − right| ≤ |right| / `parts`, exactly. */
export function isWithin(left: ExactNumber, right: ExactNumber, parts: bigint): boolean {
  const difference = left.numerator * right.denominator - right.numerator * left.denominator;
  const scale = right.numerator * left.denominator;
  const absolute = (value: bigint) => (value < 0n ? -value : value);
  return absolute(difference) * parts <= absolute(scale);
}
