import { type Random, seededRandom, seedFrom } from '../../base/random.ts';
import {
  absolute,
  compareRationals,
  isSameRational,
  multiply,
  type Rational,
  rational,
  subtract,
} from '../../base/rational.ts';
import { type Effort, Unreadable } from './answer-limits.ts';
import { addComplex, type ComplexInterval, modulus, negateComplex } from './complex-interval.ts';
import { evaluateNumerically, type Point, realSign } from './evaluate-numerically.ts';
import { exactRational } from './exact-rational.ts';
import {
  type Expression,
  freeNames,
  hasDecimal,
  infinityOf,
  isConstant,
  partsOf,
  shapeOf,
  someNode,
} from './expression.ts';
import { crossDifference, fractionText, normalForm, simplifiedRational } from './normal-form.ts';
import { different, equal, type Outcome, undecided } from './outcome.ts';
import { type Algebra, hasIndependentAtoms, type Polynomial } from './polynomial.ts';
import { fromRational, Imprecise, multiplyIntervals, overlaps } from './real-interval.ts';

/** Relative difference that a decimal may have from a gold that is no integer. */
const DECIMAL_TOLERANCE: Rational = rational(1n, 10_000n);
const CONSTANT_BITS = [128, 512, 2_176];
const SYMBOL_BITS = [128, 768];
const SAMPLE_POINTS = 5;

/** What the scalar comparisons of one check share. `seed` fixes the sample points; it depends on both texts, so that no text can be made for them. */
export interface ScalarContext {
  readonly effort: Effort;
  readonly seed: string;
}

/**
 * Whether two scalars have the same value, for all values of their symbols. Exact where it can be; else by certain bounds: to 650 digits for
 * constants, at five random points for expressions in symbols. A decimal may differ by 1e-4 of a gold that is no integer. Throws Unreadable where a side
 * has no value or is too large.
 */
export function compareScalars(prediction: Expression, gold: Expression, context: ScalarContext): Outcome {
  if (!isNumber(prediction, gold) && shapeOf(prediction) === shapeOf(gold)) return equal('written alike');
  const predicted = exactRational(prediction);
  const expected = predicted === null ? null : exactRational(gold);
  if (predicted !== null && expected !== null)
    return compareValues(predicted, expected, hasDecimal(prediction) || hasDecimal(gold));
  if (hasInfinity(prediction) || hasInfinity(gold)) return compareInfinite(prediction, gold);
  const algebra: Algebra = { atoms: new Map(), effort: context.effort };
  const difference = exactDifference(algebra, prediction, gold);
  if (difference?.size === 0) return equal('equal exactly');
  if (isConstant(prediction) && isConstant(gold)) {
    if (hasDecimal(prediction) || hasDecimal(gold)) return compareDecimals(algebra, prediction, gold, context);
    if (difference !== null && hasIndependentAtoms(algebra, difference)) return different('not equal exactly');
    return compareAtPoints(prediction, gold, [NO_SYMBOLS], CONSTANT_BITS, context, 'equal to 650 digits');
  }
  if (difference !== null && hasIndependentAtoms(algebra, difference))
    return different('not the same function of its symbols');
  return compareSamples(algebra, prediction, gold, context);
}

function isNumber(...expressions: readonly Expression[]): boolean {
  return expressions.every(({ kind }) => kind === 'number');
}

/** Exact, or within the tolerance where a decimal stands and the gold is no integer. */
function compareValues(predicted: Rational, expected: Rational, decimals: boolean): Outcome {
  if (isSameRational(predicted, expected)) return equal('equal exactly');
  if (!decimals || expected.denominator === 1n) return different('not equal exactly');
  const gap = absolute(subtract(predicted, expected));
  const isNear = compareRationals(gap, multiply(absolute(expected), DECIMAL_TOLERANCE)) <= 0;
  return isNear ? equal('a decimal within 1e-4', 0.97) : different('further away than 1e-4');
}

function hasInfinity(expression: Expression): boolean {
  return infinityOf(expression) !== null;
}

function compareInfinite(prediction: Expression, gold: Expression): Outcome {
  return infinityOf(prediction) === infinityOf(gold)
    ? equal('both are the same infinity')
    : different('only one is that infinity');
}

/** Null where the expansion is too large: then only numbers can tell. */
function exactDifference(algebra: Algebra, prediction: Expression, gold: Expression): Polynomial | null {
  try {
    const expected = normalForm(algebra, gold);
    return crossDifference(algebra, normalForm(algebra, prediction), expected);
  } catch (error) {
    if (error instanceof Unreadable && error.reason === 'limit') return null;
    throw error;
  }
}

function compareDecimals(algebra: Algebra, prediction: Expression, gold: Expression, context: ScalarContext): Outcome {
  const expected = simplifiedRational(algebra, gold);
  if (expected?.denominator === 1n) return different('not equal exactly');
  for (const bits of CONSTANT_BITS) {
    try {
      const value = evaluateNumerically(prediction, bits, NO_SYMBOLS, context.effort);
      const wanted = evaluateNumerically(gold, bits, NO_SYMBOLS, context.effort);
      const gap = modulus(addComplex(value, negateComplex(wanted)), bits);
      const allowed = multiplyIntervals(modulus(wanted, bits), fromRational(DECIMAL_TOLERANCE, bits), bits);
      if (gap.high <= allowed.low) return equal('a decimal within 1e-4', 0.97);
      if (gap.low > allowed.high) return different('further away than 1e-4');
    } catch (error) {
      if (!(error instanceof Imprecise)) throw error;
    }
  }
  return undecided('too near to the tolerance to tell');
}

const NO_SYMBOLS: Point = {
  symbol: (name) => {
    throw new Unreadable('notation', `${name} has no value`);
  },
  application: (name) => {
    throw new Unreadable('notation', `${name} has no value`);
  },
};

/** Certain difference at one point decides; equality needs narrow, overlapping bounds at every point. */
function compareAtPoints(
  prediction: Expression,
  gold: Expression,
  points: readonly Point[],
  precisions: readonly number[],
  { effort }: ScalarContext,
  why: string,
): Outcome {
  let open = points.length;
  for (const point of points) {
    for (const bits of precisions) {
      try {
        const value = evaluateNumerically(prediction, bits, point, effort);
        const wanted = evaluateNumerically(gold, bits, point, effort);
        if (!overlaps(value.re, wanted.re) || !overlaps(value.im, wanted.im)) return different('not equal in numbers');
        if (bits === precisions.at(-1) && isNarrow(value, bits) && isNarrow(wanted, bits)) open--;
      } catch (error) {
        if (!(error instanceof Imprecise)) throw error;
      }
    }
  }
  return open === 0 ? equal(why, 0.99) : undecided('the numbers could not be told apart');
}

function isNarrow({ re, im }: ComplexInterval, bits: number): boolean {
  const half = BigInt(bits / 2);
  return re.high - re.low < 1n << half && im.high - im.low < 1n << half;
}

/** Points where a side has no value (a division by zero) are left out; at least two must remain. */
function compareSamples(algebra: Algebra, prediction: Expression, gold: Expression, context: ScalarContext): Outcome {
  const random = seededRandom(seedFrom('answer-equivalence', context.seed));
  const names = [...new Set([...freeNames(prediction), ...freeNames(gold)])].sort();
  if (differFarOut(algebra, prediction, gold, names, context)) return different('not equal in numbers far out');
  let decided = 0;
  for (let sample = 0; sample < SAMPLE_POINTS; sample++) {
    try {
      const outcome = compareAtPoints(
        prediction,
        gold,
        [samplePoint(algebra, random, sample, names)],
        SYMBOL_BITS,
        context,
        'equal at random points',
      );
      if (outcome.verdict === 'different') return outcome;
      if (outcome.verdict === 'equal') decided++;
    } catch (error) {
      if (!(error instanceof Unreadable) || error.reason !== 'undefined') throw error;
    }
  }
  return decided >= 2 ? equal('equal at random points', 0.99) : undecided('it has no value at most random points');
}

const MOST_LANDMARKS = 4;

/**
 * |x + 1000| and x + 1000 agree near 0. Where a function breaks at a value (absolute values, even roots, rounding), the two are looked at beyond each
 * constant that stands in them too; only a certain difference counts there.
 */
function differFarOut(
  algebra: Algebra,
  prediction: Expression,
  gold: Expression,
  names: readonly string[],
  context: ScalarContext,
): boolean {
  if (!someNode(prediction, hasBreak) && !someNode(gold, hasBreak)) return false;
  const random = seededRandom(seedFrom('answer-equivalence far out', context.seed));
  for (const landmark of landmarksOf(prediction, gold)) {
    for (let sample = 0; sample < SAMPLE_POINTS; sample++) {
      const near = samplePoint(algebra, random, sample, names);
      const far = (value: Rational): Rational => multiply(value, rational(landmark * 4n));
      const point: Point = {
        symbol: (name) => far(near.symbol(name)),
        application: (name, of) => far(near.application(name, of)),
      };
      try {
        const precisions = SYMBOL_BITS.slice(0, 1);
        if (compareAtPoints(prediction, gold, [point], precisions, context, '').verdict === 'different') return true;
      } catch (error) {
        if (!(error instanceof Unreadable) || error.reason === 'effort') throw error;
      }
    }
  }
  return false;
}

function hasBreak(node: Expression): boolean {
  if (node.kind === 'call') return ['abs', 'floor', 'ceil'].includes(node.name);
  if (node.kind === 'root') return node.index % 2 === 0;
  const exponent = node.kind === 'power' ? exactRational(node.exponent) : null;
  return exponent !== null && exponent.denominator % 2n === 0n;
}

/** Sizes of the constants that stand in both, rounded up, each once; the largest and those nearest to 1. */
function landmarksOf(...expressions: readonly Expression[]): bigint[] {
  const sizes = new Set<bigint>();
  const visit = (node: Expression): void => {
    const value = isConstant(node) ? exactRational(node) : null;
    if (value !== null) {
      const { numerator, denominator } = absolute(value);
      const size = numerator / denominator + 1n;
      if (size > 1n) sizes.add(size);
    }
    for (const part of partsOf(node)) visit(part);
  };
  for (const expression of expressions) visit(expression);
  const ascending = [...sizes].sort((a, b) => (a < b ? -1 : 1));
  return [...new Set([...ascending.slice(0, MOST_LANDMARKS - 1), ...ascending.slice(-1)])];
}

/**
 * Rationals with |value| in [1/4, 3]: all positive, all negative, of changing sign in both ways, then of random sign, so that √(x²) and x, or √x·√y and
 * √(xy), are told apart. A named function gets one for each of its arguments' values.
 */
export function samplePoint(algebra: Algebra, random: Random, sample: number, names: readonly string[]): Point {
  const values = new Map<string, Rational>();
  const isNegative = (name: string): boolean => {
    const position = Math.max(0, names.indexOf(name)) % 2;
    return [false, true, position === 0, position === 1][sample] ?? random.below(2) === 0;
  };
  const valueNamed = (name: string): Rational => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const size = 2 ** 20 + random.below(11 * 2 ** 20);
    const value = rational(BigInt(isNegative(name) ? -size : size), 2n ** 22n);
    values.set(name, value);
    return value;
  };
  return {
    symbol: (name) => valueNamed(name),
    application: (name, of) =>
      valueNamed(`${name}(${of.map((part) => fractionText(normalForm(algebra, part))).join(';')})`),
  };
}

/** Negative, 0 or positive as left − right is, for real constants (±∞ too). Throws Unreadable where it cannot be told. */
export function compareReals(left: Expression, right: Expression, context: ScalarContext): number {
  const infinities = (infinityOf(left) ?? 0) - (infinityOf(right) ?? 0);
  if (hasInfinity(left) || hasInfinity(right)) return infinities;
  const [first, second] = [exactRational(left), exactRational(right)];
  if (first !== null && second !== null) return compareRationals(first, second);
  const difference: Expression = { kind: 'sum', terms: [left, { kind: 'negative', of: right }] };
  const algebra: Algebra = { atoms: new Map(), effort: context.effort };
  if (exactDifference(algebra, left, right)?.size === 0) return 0;
  for (const bits of CONSTANT_BITS) {
    try {
      return realSign(evaluateNumerically(difference, bits, NO_SYMBOLS, context.effort));
    } catch (error) {
      if (!(error instanceof Imprecise)) throw error;
    }
  }
  return 0;
}
