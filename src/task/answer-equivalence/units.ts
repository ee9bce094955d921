import { multiply, ONE, power, type Rational, rational } from '../../base/rational.ts';

/**
 * A unit as written behind a value. `known`: each base dimension with its power and the factor to it; null for words that are no unit of measure
 * (students, ways).
 */
export interface Unit {
  readonly text: string;
  readonly known: { readonly dimensions: string; readonly factor: Rational } | null;
}

type Definition = readonly [dimension: string, factor: Rational];

const of = (dimension: string, numerator: bigint, denominator = 1n): Definition => [
  dimension,
  rational(numerator, denominator),
];

/** Exact factors to a base unit of each dimension. */
const DEFINITIONS: readonly (readonly [names: string, definition: Definition])[] = [
  ['mm millimeter millimeters millimetre millimetres', of('length', 1n, 1000n)],
  ['cm centimeter centimeters centimetre centimetres', of('length', 1n, 100n)],
  ['m meter meters metre metres', of('length', 1n)],
  ['km kilometer kilometers kilometre kilometres', of('length', 1000n)],
  ['in inch inches', of('length', 254n, 10_000n)],
  ['ft foot feet', of('length', 3048n, 10_000n)],
  ['yd yard yards', of('length', 9144n, 10_000n)],
  ['mi mile miles', of('length', 1_609_344n, 1000n)],
  ['mg milligram milligrams', of('mass', 1n, 1_000_000n)],
  ['g gm gram grams', of('mass', 1n, 1000n)],
  ['kg kilogram kilograms', of('mass', 1n)],
  ['lb lbs pound pounds', of('mass', 45_359_237n, 100_000_000n)],
  ['oz ounce ounces', of('mass', 45_359_237n, 1_600_000_000n)],
  ['ton tons', of('ton', 1n)],
  ['ms millisecond milliseconds', of('time', 1n, 1000n)],
  ['s sec second seconds', of('time', 1n)],
  ['min mins minute minutes', of('time', 60n)],
  ['h hr hrs hour hours', of('time', 3600n)],
  ['day days', of('time', 86_400n)],
  ['week weeks', of('time', 604_800n)],
  ['month months', of('month', 1n)],
  ['year years', of('month', 12n)],
  ['ml milliliter milliliters millilitre millilitres', of('volume', 1n, 1000n)],
  ['l liter liters litre litres', of('volume', 1n)],
  ['gal gallon gallons', of('gallon', 1n)],
  ['quart quarts', of('gallon', 1n, 4n)],
  ['pint pints', of('gallon', 1n, 8n)],
  ['cup cups', of('gallon', 1n, 16n)],
  ['$ usd dollar dollars', of('dollar', 1n)],
  ['cent cents ¢', of('dollar', 1n, 100n)],
  ['€ eur euro euros', of('euro', 1n)],
  ['£ gbp', of('sterling', 1n)],
  ['¥ yen', of('yen', 1n)],
  ['degree degrees deg °', of('degree', 1n)],
  ['radian radians rad', of('radian', 1n)],
  ['celsius centigrade', of('celsius', 1n)],
  ['fahrenheit', of('fahrenheit', 1n)],
  ['kelvin kelvins', of('kelvin', 1n)],
  ['hz', of('hertz', 1n)],
  ['mph', of('length', 1_609_344n, 3_600_000n)],
  ['kph', of('length', 1000n, 3600n)],
];

const BY_NAME = new Map(
  DEFINITIONS.flatMap(([names, definition]) => names.split(' ').map((name) => [name, definition] as const)),
);
/** Words whose power is a speed already. */
const PER_SECOND = new Set(['mph', 'kph']);

/** Words that say how large or which, not of what: a value in front of them is not the whole answer. */
const NOT_A_UNIT = new Set(
  (
    'not no never hundred thousand million billion trillion dozen half halves third thirds quarter quarters double twice plus minus times divided over squared cubed ' +
    'negative positive or and is are isnt wrong false incorrect except than less more least most at about nearly approximately between to from mod modulo base root power ' +
    'below above zero lakh lakhs crore crores tens hundreds thousands millions billions trillions impossible cannot never unless ' +
    'factorial percent hundredths tenths thousandths pi but if when where because since maybe possibly none nor else either both all ' +
    'january february march april may june july august september october november december'
  ).split(' '),
);
const MOST_WORDS = 5;

/** Letters that are a unit on their own, in any text; single letters are symbols. */
export function isUnitName(letters: string): boolean {
  return letters.length > 1 && letters !== 'in' && BY_NAME.has(letters.toLowerCase());
}

/** Letters that are a symbol by themselves, and a unit behind another unit or beside a quantity with one. */
export function isUnitLetter(letter: string): boolean {
  return /^[mshglL]$/.test(letter);
}

/** The unit that a text such as `cm^2`, `square feet` or `students` names; null when it is no unit. */
export function readUnit(written: string): Unit | null {
  const text = written
    .toLowerCase()
    .replace(/[{}\\]/g, '')
    .replace(/\bper\b/g, '/')
    .replace(/[.,;:!]+$/g, '')
    .trim();
  if (text === '') return null;
  const known = knownUnit(text);
  if (known !== null) return { text, known };
  const words = text.match(/\p{L}[\p{L}\p{M}'-]*/gu) ?? [];
  if (words.length === 0 || words.length > MOST_WORDS || !/^[\p{L}\p{M}\s'/.^0-9-]*$/u.test(text)) return null;
  if (/\d/.test(text.replace(/\^\s*\d+/g, '')) || words.some((word) => NOT_A_UNIT.has(word.replaceAll("'", ''))))
    return null;
  return { text, known: null };
}

function knownUnit(text: string): Unit['known'] {
  const factors = text
    .replace(/(?:\bdegrees?|\bdeg|°)\s+(?=celsius|centigrade|fahrenheit|kelvin)/g, '')
    .replace(/\bsquare\s+(\w+)/g, '$1^2')
    .replace(/\bcubic\s+(\w+)/g, '$1^3')
    .replace(/\bsq\.?\s+(\w+)/g, '$1^2')
    .replace(/(\p{L}|\$)\s+squared\b/gu, '$1^2');
  const powers = new Map<string, number>();
  let factor = ONE;
  let sign = 1;
  for (const part of factors.split(/(\/)|[\s*]+/).filter((piece) => piece !== undefined && piece !== '')) {
    if (part === '/') {
      sign = -1;
      continue;
    }
    const match = /^([^\d^]+)(?:\^\s*(\d))?$/u.exec(part);
    const definition = BY_NAME.get(match?.[1] ?? '');
    if (match === null || definition === undefined) return null;
    const [dimension, size] = definition;
    const exponent = sign * Number(match[2] ?? 1);
    powers.set(dimension, (powers.get(dimension) ?? 0) + exponent);
    if (PER_SECOND.has(match[1] as string)) powers.set('time', (powers.get('time') ?? 0) - exponent);
    factor = multiply(factor, power(size, BigInt(exponent)));
    sign = 1;
  }
  const dimensions = [...powers]
    .filter(([, exponent]) => exponent !== 0)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([dimension, exponent]) => `${dimension}^${exponent}`)
    .join(' ');
  return dimensions === '' ? null : { dimensions, factor };
}
