import { divide, multiply, type Rational, rational } from '../../base/rational.ts';
import { unmatchedRow } from '../unmatched-row.ts';
import type { Answer } from './answer.ts';
import { refuseLargeInteger, Unreadable } from './answer-limits.ts';
import { compareRelations, labelFirst, labelledValues, type Relation } from './compare-relations.ts';
import { compareScalars, type ScalarContext } from './compare-scalars.ts';
import { compareWords } from './compare-words.ts';
import { type Expression, isConstant, someNode } from './expression.ts';
import { allEqual, different, equal, type Outcome } from './outcome.ts';
import { compareRealSets, memberSetOf, realSetOf } from './real-set.ts';
import { asQuantity } from './symbol-units.ts';
import type { Unit } from './units.ts';

export interface AnswerContext extends ScalarContext {
  /** The question asks for a percentage: `10%` may also be 10. */
  readonly asksPercentage: boolean;
  /** The base that the question asks for, null where it names none. */
  readonly asksBase: number | null;
}

type Value = Extract<Answer, { kind: 'value' }>;

/**
 * Whether two answers say the same. Order counts inside round brackets only. A label in front of an equals sign may be missing on one side, a unit too.
 * Throws Unreadable.
 */
export function compareAnswers(prediction: Answer, gold: Answer, context: AnswerContext): Outcome {
  context.effort.spend(1);
  if (prediction.kind === 'value' && gold.kind === 'value') return compareValues(prediction, gold, context);
  if (prediction.kind === 'membership' || gold.kind === 'membership') {
    return compareAnswers(withoutMembership(prediction), withoutMembership(gold), context);
  }
  if (prediction.kind === 'list' || gold.kind === 'list') return compareLists(prediction, gold, context);
  if (prediction.kind === 'relation' || gold.kind === 'relation') return compareWithRelation(prediction, gold, context);
  if (prediction.kind === 'text' || gold.kind === 'text') return compareTexts(prediction, gold, context);
  return compareStructures(prediction, gold, context);
}

function withoutMembership(answer: Answer): Answer {
  return answer.kind === 'membership' ? answer.set : answer;
}

function compareStructures(prediction: Answer, gold: Answer, context: AnswerContext): Outcome {
  if (prediction.kind === 'tuple' && gold.kind === 'tuple')
    return compareInOrder(prediction.items, gold.items, context);
  if (prediction.kind === 'matrix' && gold.kind === 'matrix') return compareMatrices(prediction, gold, context);
  if (prediction.kind === 'ratio' || gold.kind === 'ratio') return compareRatios(prediction, gold, context);
  if (prediction.kind === 'based' || gold.kind === 'based') return compareBased(prediction, gold, context);
  if (prediction.kind === 'number-set' && gold.kind === 'number-set' && prediction.name === gold.name)
    return equal('the same set of numbers');
  if (prediction.kind === 'interval' && gold.kind === 'interval') {
    const sameEnds = prediction.lowClosed === gold.lowClosed && prediction.highClosed === gold.highClosed;
    return sameEnds
      ? compareInOrder([prediction.low, prediction.high], [gold.low, gold.high], context)
      : different('an end is open in one of them');
  }
  return compareAsSets(prediction, gold, context) ?? differentKinds(prediction, gold);
}

function differentKinds(prediction: Answer, gold: Answer): Outcome {
  return different(`${nameOf(prediction)} is not ${nameOf(gold)}`);
}

const NAMES: Readonly<Record<Answer['kind'], string>> = {
  value: 'a value',
  based: 'a number in another base',
  list: 'a list or set',
  tuple: 'a tuple',
  interval: 'an interval',
  union: 'a union',
  without: 'a difference of sets',
  'number-set': 'a set of numbers',
  matrix: 'a matrix',
  ratio: 'a ratio',
  relation: 'a relation',
  membership: 'a membership',
  text: 'a text',
};

function nameOf({ kind }: Answer): string {
  return NAMES[kind];
}

function compareInOrder(prediction: readonly Answer[], gold: readonly Answer[], context: AnswerContext): Outcome {
  if (prediction.length !== gold.length) return different(`${prediction.length} parts instead of ${gold.length}`);
  return allEqual(gold.map((part, index) => compareAnswers(prediction[index] as Answer, part, context)));
}

function compareMatrices(
  prediction: Extract<Answer, { kind: 'matrix' }>,
  gold: Extract<Answer, { kind: 'matrix' }>,
  context: AnswerContext,
): Outcome {
  const [rows, columns] = [gold.rows.length, gold.rows[0]?.length];
  if (prediction.rows.length !== rows || prediction.rows[0]?.length !== columns)
    return different('matrices of different size');
  return compareInOrder(prediction.rows.flat(), gold.rows.flat(), context);
}

/** Null where one side is no set of reals. A pair in round brackets is an open interval, and items in braces are points, if the other side is such a set. */
function compareAsSets(prediction: Answer, gold: Answer, context: AnswerContext): Outcome | null {
  const [a, b] = [realSetOf(prediction, context), realSetOf(gold, context)];
  const left = a ?? (b !== null ? memberSetOf(prediction, context) : null);
  const right = b ?? (a !== null ? memberSetOf(gold, context) : null);
  return left === null || right === null ? null : compareRealSets(left, right, context);
}

/** Unordered: every item of one side has a partner of its own on the other. */
function compareLists(prediction: Answer, gold: Answer, context: AnswerContext): Outcome {
  const asSets = compareAsSets(prediction, gold, context);
  if (asSets !== null) return asSets;
  const [left, right] = [itemsOf(prediction), itemsOf(gold)];
  if (left === null || right === null) return differentKinds(prediction, gold);
  if (hasMixedLabels(left) !== hasMixedLabels(right)) return different('values are given to different names');
  const areSets = prediction.kind === 'list' && gold.kind === 'list' && prediction.braces && gold.braces;
  if (!areSets && left.length !== right.length) return different(`${left.length} items instead of ${right.length}`);
  return matchItems(left, right, areSets, context);
}

/** A single value is the list of itself, unless it is a structure. */
function itemsOf(answer: Answer): readonly Answer[] | null {
  if (answer.kind === 'list') return answer.items;
  return ['value', 'relation', 'text'].includes(answer.kind) ? [answer] : null;
}

function hasMixedLabels(items: readonly Answer[]): boolean {
  const labels = items.flatMap((item) => {
    const label = item.kind === 'relation' ? labelledValues(item)?.label : undefined;
    // x_1 and x_2 number the values of x.
    return label?.kind === 'value' && label.expression.kind === 'symbol'
      ? [label.expression.name.replace(/_\d+$/, '')]
      : [];
  });
  return new Set(labels).size > 1;
}

function matchItems(
  left: readonly Answer[],
  right: readonly Answer[],
  areSets: boolean,
  context: AnswerContext,
): Outcome {
  const outcomes = right.map((wanted) => left.map((item) => attempt(() => compareAnswers(item, wanted, context))));
  const open = outcomes.flat().find(({ verdict }) => verdict === 'undecided');
  const isEqual = (row: number, column: number): boolean => outcomes[row]?.[column]?.verdict === 'equal';
  const rows = right.map((_, row) => row);
  const columns = left.map((_, column) => column);
  const matched = areSets
    ? rows.every((row) => columns.some((column) => isEqual(row, column))) &&
      columns.every((column) => rows.some((row) => isEqual(row, column)))
    : unmatchedRow(right.length, left.length, isEqual) === -1;
  if (matched) return allEqual(outcomes.flatMap((row) => row.filter(({ verdict }) => verdict === 'equal')));
  return open ?? different('an item has no equal on the other side');
}

/** An item that has no value differs; one that cannot be read leaves the list undecided. */
function attempt(compare: () => Outcome): Outcome {
  try {
    return compare();
  } catch (error) {
    if (!(error instanceof Unreadable) || error.reason !== 'undefined') throw error;
    return different(error.message);
  }
}

function compareWithRelation(prediction: Answer, gold: Answer, context: AnswerContext): Outcome {
  const asSets = isInequality(prediction) || isInequality(gold) ? compareAsSets(prediction, gold, context) : null;
  if (asSets !== null) return asSets;
  if (prediction.kind === 'relation' && gold.kind === 'relation') {
    return compareRelations(prediction, gold, (a, b) => compareAnswers(a, b, context), context);
  }
  if (prediction.kind === 'relation') return compareChain(prediction, gold, context);
  const values = gold.kind === 'relation' ? labelledValues(gold)?.values : undefined;
  const last = values?.at(-1);
  if (last === undefined) return differentKinds(prediction, gold);
  return weaker(compareAnswers(prediction, last, context), 0.95, 'the label is missing');
}

function isInequality(answer: Answer): boolean {
  return answer.kind === 'relation' && !answer.operators.includes('=');
}

/** `x = 5`, `x = 2 + 3 = 5`, `2 + 3 = 5` for 5: what is not the label must be equal to the gold, every part of it. */
function compareChain(prediction: Relation, gold: Answer, context: AnswerContext): Outcome {
  const labelled = labelledValues(prediction);
  const values =
    labelled?.values ??
    (prediction.operators.every((operator) => operator === '=') ? labelFirst(prediction).sides : null);
  if (values === null || (labelled === null && !values.every(isConstantValue))) return differentKinds(prediction, gold);
  return weaker(allEqual(values.map((value) => compareAnswers(value, gold, context))), 0.98, 'with its label');
}

function isConstantValue(answer: Answer): boolean {
  return answer.kind === 'value' && isConstant(answer.expression);
}

function weaker(outcome: Outcome, confidence: number, why: string): Outcome {
  if (outcome.verdict !== 'equal') return outcome;
  return { ...outcome, confidence: Math.min(outcome.confidence, confidence), why: `${outcome.why}, ${why}` };
}

/** A word of two or three letters may stand for the product of its letters. */
function compareTexts(prediction: Answer, gold: Answer, context: AnswerContext): Outcome {
  if (prediction.kind === 'text' && gold.kind === 'text') return compareWords(prediction.words, gold.words);
  const [text, other] = prediction.kind === 'text' ? [prediction, gold] : [gold, prediction];
  if (text.kind !== 'text' || text.product === null || other.kind !== 'value') return differentKinds(prediction, gold);
  return compareScalars(other.expression, text.product, context);
}

function compareRatios(prediction: Answer, gold: Answer, context: AnswerContext): Outcome {
  const [left, right] = [ratioParts(prediction), ratioParts(gold)];
  if (left === null || right === null) {
    const areRatios = prediction.kind === 'ratio' && gold.kind === 'ratio';
    return areRatios ? compareInOrder(prediction.parts, gold.parts, context) : differentKinds(prediction, gold);
  }
  if (left.length !== right.length) return different(`${left.length} parts instead of ${right.length}`);
  return allEqual(
    right
      .slice(1)
      .map((part, index) =>
        compareScalars(
          quotient(left[index + 1] as Expression, left[0] as Expression),
          quotient(part, right[0] as Expression),
          context,
        ),
      ),
  );
}

/** A ratio of two numbers may also be written as their quotient. */
function ratioParts(answer: Answer): readonly Expression[] | null {
  if (answer.kind === 'ratio') {
    const parts = answer.parts.map((part) =>
      part.kind === 'value' && part.unit === null && !part.percent ? part.expression : null,
    );
    return parts.includes(null) ? null : (parts as Expression[]);
  }
  if (answer.kind !== 'value' || answer.unit !== null || answer.percent) return null;
  return [answer.expression, { kind: 'number', value: rational(1n), decimal: false }];
}

function quotient(over: Expression, under: Expression): Expression {
  return { kind: 'quotient', over, under };
}

type Based = Extract<Answer, { kind: 'based' }>;

/**
 * Value and base must agree; a number without a base is one in base ten. Only where the question asks for the gold's base may the base be left away, with
 * the same digits.
 */
function compareBased(prediction: Answer, gold: Answer, context: AnswerContext): Outcome {
  if (prediction.kind === 'based' && gold.kind === 'based') {
    if (prediction.base !== gold.base) return different(`base ${prediction.base} instead of ${gold.base}`);
    return compareScalars(basedValue(prediction), basedValue(gold), context);
  }
  const [based, other] = prediction.kind === 'based' ? [prediction, gold] : [gold as Based, prediction];
  if (other.kind !== 'value' || other.unit !== null || other.percent) return differentKinds(prediction, gold);
  if (based.base === 10) return compareScalars(basedValue(based), other.expression, context);
  if (gold.kind !== 'based' || context.asksBase !== gold.base) return different(`base 10 is not base ${based.base}`);
  if (other.expression.kind !== 'number' || /[A-Z]/.test(gold.digits)) return different('not the digits of that base');
  return weaker(
    compareScalars(other.expression, basedValue({ ...gold, base: 10 }), context),
    0.9,
    'the base is missing',
  );
}

function basedValue({ digits, base }: Based): Expression {
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  let value = 0n;
  for (const digit of whole + fraction)
    value = refuseLargeInteger(value * BigInt(base) + BigInt(Number.parseInt(digit, 36)));
  const size: Rational = rational(value, BigInt(base) ** BigInt(fraction.length));
  return {
    kind: 'number',
    value: digits.startsWith('-') ? rational(-size.numerator, size.denominator) : size,
    decimal: false,
  };
}

function compareValues(prediction: Value, gold: Value, context: AnswerContext): Outcome {
  if (prediction.percent !== gold.percent) {
    const readings = [prediction, gold].map((value) => percentReadings(value, context));
    const outcomes = (readings[0] as Expression[]).flatMap((a) =>
      (readings[1] as Expression[]).map((b) => compareScalars(a, b, context)),
    );
    return outcomes.find(({ verdict }) => verdict === 'equal') ?? (outcomes[0] as Outcome);
  }
  if ((prediction.unit?.known ?? null) !== null || (gold.unit?.known ?? null) !== null) {
    // `1000 m` beside `1 km`: the letter is a unit.
    const [left, right] = [prediction, gold].map(withLetterUnit) as [Value, Value];
    if (left !== prediction || right !== gold)
      return weaker(compareValues(left, right, context), 0.9, 'a letter as unit');
  }
  if (prediction.unit === null && gold.unit === null)
    return compareScalars(prediction.expression, gold.expression, context);
  if (prediction.unit !== null && gold.unit !== null)
    return compareUnits(prediction, gold, prediction.unit, gold.unit, context);
  const outcome = compareScalars(prediction.expression, gold.expression, context);
  if (outcome.verdict === 'equal') return weaker(outcome, 0.95, 'a unit stands on one side only');
  return compareRadians(prediction, gold, context) ?? outcome;
}

function withLetterUnit(value: Value): Value {
  const quantity = value.unit === null && !value.percent ? asQuantity(value.expression) : null;
  return quantity === null ? value : { ...value, ...quantity };
}

function percentReadings({ expression, percent }: Value, context: AnswerContext): Expression[] {
  if (!percent) return [expression];
  const hundredth = quotient(expression, { kind: 'number', value: rational(100n), decimal: false });
  return context.asksPercentage ? [hundredth, expression] : [hundredth];
}

/** Degrees against a multiple of π without a unit. */
function compareRadians(prediction: Value, gold: Value, context: AnswerContext): Outcome | null {
  const bare = prediction.unit === null ? prediction : gold;
  const withUnit = bare === prediction ? gold : prediction;
  const isMultipleOfPi = someNode(bare.expression, (node) => node.kind === 'constant' && node.name === 'pi');
  if (withUnit.unit?.known?.dimensions !== 'degree^1' || !isMultipleOfPi) return null;
  const inRadians = (value: Value): Expression =>
    value === withUnit ? { kind: 'degrees', of: value.expression } : value.expression;
  return compareScalars(inRadians(prediction), inRadians(gold), context);
}

/** 2 for `square units` and `units^2`, null for other units. */
function powerOfUnits({ text }: Unit): number | null {
  const match = /^(square |sq\.? |cubic )?units?(?:\s*\^\s*(\d)| (squared|cubed))?$/.exec(text);
  if (match === null) return null;
  if (match[2] !== undefined) return Number(match[2]);
  const word = match[1] ?? match[3];
  return word === undefined ? 1 : word.startsWith('cub') ? 3 : 2;
}

function compareUnits(prediction: Value, gold: Value, left: Unit, right: Unit, context: AnswerContext): Outcome {
  const plain = (): Outcome => compareScalars(prediction.expression, gold.expression, context);
  if (left.text === right.text) return plain();
  const powers = [powerOfUnits(left), powerOfUnits(right)].filter((power) => power !== null);
  if (powers.length === 2 && powers[0] !== powers[1] && !powers.includes(1))
    return different(`${left.text} is not ${right.text}`);
  const measured = [left, right].find((unit) => unit.known !== null)?.known?.dimensions;
  if (measured !== undefined && powers.some((power) => power > 1 && measured !== `length^${power}`)) {
    return different(`${left.text} is not ${right.text}`);
  }
  if (powers.length > 0) return weaker(plain(), 0.9, 'with another unit');
  if (left.known === null && right.known === null) return weaker(plain(), 0.8, `${left.text} for ${right.text}`);
  if (left.known === null || right.known === null) return different(`${left.text} is not ${right.text}`, 0.9);
  const angles = [left.known.dimensions, right.known.dimensions].sort().join();
  if (angles === 'degree^1,radian^1') {
    const inRadians = (value: Value, unit: Unit): Expression =>
      unit.known?.dimensions === 'degree^1' ? { kind: 'degrees', of: value.expression } : value.expression;
    return compareScalars(inRadians(prediction, left), inRadians(gold, right), context);
  }
  if (/^(?:celsius|fahrenheit)\^1,degree\^1$/.test(angles)) return weaker(plain(), 0.9, 'the scale is missing');
  if (left.known.dimensions !== right.known.dimensions) return different(`${left.text} is not ${right.text}`);
  const factor = divide(left.known.factor, right.known.factor);
  if (factor.numerator === factor.denominator) return plain();
  return compareScalars(scaledBy(prediction.expression, factor), gold.expression, context);
}

function scaledBy(expression: Expression, factor: Rational): Expression {
  if (expression.kind === 'number') return { ...expression, value: multiply(expression.value, factor) };
  return { kind: 'product', factors: [expression, { kind: 'number', value: factor, decimal: false }] };
}
