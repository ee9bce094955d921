import { seededRandom, seedFrom } from '../../base/random.ts';
import type { Answer, Comparison } from './answer.ts';
import { Unreadable } from './answer-limits.ts';
import { type ScalarContext, samplePoint } from './compare-scalars.ts';
import { type ComplexInterval, divideComplex, multiplyComplex } from './complex-interval.ts';
import { evaluateNumerically, realSign } from './evaluate-numerically.ts';
import { type Expression, freeNames, partsOf, shapeOf, someNode } from './expression.ts';
import { allEqual, different, equal, type Outcome, undecided } from './outcome.ts';
import type { Algebra } from './polynomial.ts';
import { Imprecise, overlaps } from './real-interval.ts';
import { mirrored } from './real-set.ts';

export type Relation = Extract<Answer, { kind: 'relation' }>;

/** What only names the value on the other side of an equals sign: `x`, `f(x)`, `AB`, `\angle ABC`, words. */
function isLabel(side: Answer): boolean {
  if (side.kind === 'text') return true;
  if (side.kind === 'tuple')
    return side.items.every((item) => item.kind === 'value' && item.expression.kind === 'symbol');
  if (side.kind !== 'value' || side.unit !== null || side.percent) return false;
  const { expression } = side;
  if (expression.kind === 'symbol') return true;
  if (expression.kind === 'application') return expression.arguments.every((part) => part.kind === 'symbol');
  if (expression.kind === 'call' && expression.name === 'abs') return isSegment(expression.arguments[0] as Expression);
  return isSegment(expression) || isNamedFunction(expression);
}

/** Points side by side, also behind an angle sign. */
function isSegment(expression: Expression): boolean {
  return (
    expression.kind === 'product' &&
    expression.factors.every(
      (factor) => factor.kind === 'symbol' && /^(?:[A-Z]|angle|measuredangle|triangle|m)$/.test(factor.name),
    )
  );
}

/** `P(x)` is read as a product of P and x. */
function isNamedFunction(expression: Expression): boolean {
  if (expression.kind !== 'product' || expression.factors.length !== 2) return false;
  const [name, variable] = expression.factors as [Expression, Expression];
  return (
    name.kind === 'symbol' && /^[A-Z]$/.test(name.name) && variable.kind === 'symbol' && /^[a-z]$/.test(variable.name)
  );
}

/** An equation with its label first, where it has one. */
export function labelFirst(relation: Relation): Relation {
  const [left, right] = relation.sides as [Answer, Answer];
  const turns = relation.sides.length === 2 && relation.operators[0] === '=' && !isLabel(left) && isLabel(right);
  return turns ? { ...relation, sides: [right, left] } : relation;
}

/** `x = 2 + 3 = 5` → x and its values; null where it is no such chain, or where the label stands in a value too. */
export function labelledValues(relation: Relation): { label: Answer; values: readonly Answer[] } | null {
  if (!relation.operators.every((operator) => operator === '=')) return null;
  const [label, ...values] = labelFirst(relation).sides as [Answer, ...Answer[]];
  if (!isLabel(label)) return null;
  const names = label.kind === 'value' && label.expression.kind === 'symbol' ? [label.expression.name] : [];
  const isCircular = values.some(
    (value) => value.kind === 'value' && freeNames(value.expression).some((name) => names.includes(name)),
  );
  return isCircular ? null : { label, values };
}

/**
 * Equations and inequalities of scalars: side by side, or with everything on one side up to a constant factor (positive for inequalities). `sides` compares
 * two sides that stand for values.
 */
export function compareRelations(
  prediction: Relation,
  gold: Relation,
  sides: (a: Answer, b: Answer) => Outcome,
  context: ScalarContext,
): Outcome {
  if (prediction.sides.length !== gold.sides.length) return different('the relations have different lengths');
  const wanted = labelFirst(gold);
  for (const candidate of [prediction, reversed(prediction)]) {
    if (candidate.operators.join() !== wanted.operators.join()) continue;
    const outcome = allEqual(wanted.sides.map((side, index) => sides(candidate.sides[index] as Answer, side)));
    if (outcome.verdict === 'equal') return outcome;
  }
  const functions = functionValues(prediction, gold);
  if (functions !== null) return sides(...functions);
  return gold.sides.length === 2
    ? compareUpToFactor(prediction, gold, context)
    : different('not the same chain of relations');
}

function reversed({ kind, sides, operators }: Relation): Relation {
  return { kind, sides: sides.toReversed(), operators: operators.toReversed().map(mirrored) };
}

/** `y = …` and `f(x) = …` name the same thing. */
function functionValues(prediction: Relation, gold: Relation): [Answer, Answer] | null {
  const [a, b] = [labelledValues(prediction), labelledValues(gold)];
  if (a === null || b === null || a.values.length !== 1 || b.values.length !== 1) return null;
  const kinds = [a.label, b.label].map((label) =>
    label.kind === 'value'
      ? label.expression.kind === 'symbol' && label.expression.name === 'y'
        ? 'y'
        : label.expression.kind
      : 'other',
  );
  return kinds.includes('y') && kinds.includes('application') ? [a.values[0] as Answer, b.values[0] as Answer] : null;
}

function scalarSides({ sides }: Relation): [Expression, Expression] | null {
  const [left, right] = sides as [Answer, Answer];
  const areScalars = [left, right].every((side) => side.kind === 'value' && side.unit === null && !side.percent);
  return areScalars && left.kind === 'value' && right.kind === 'value' ? [left.expression, right.expression] : null;
}

/** Left minus right, turned so that the operator is one of = ≠ < ≤. */
function oneSided(relation: Relation): { operator: Comparison; difference: Expression } | null {
  const ends = scalarSides(relation);
  if (ends === null) return null;
  const written = relation.operators[0] as Comparison;
  const turns = written === '>' || written === '>=';
  const [left, right] = turns ? [ends[1], ends[0]] : ends;
  return {
    operator: turns ? mirrored(written) : written,
    difference: { kind: 'sum', terms: [left, { kind: 'negative', of: right }] },
  };
}

const SAMPLE_BITS = 768;
const POINTS = 5;

/** F = c·G for one constant c: F·G₀ = F₀·G at every sample point, with c > 0 for inequalities. */
function compareUpToFactor(prediction: Relation, gold: Relation, context: ScalarContext): Outcome {
  const [a, b] = [oneSided(prediction), oneSided(gold)];
  if (a === null || b === null || a.operator !== b.operator) return different('not the same relation');
  if (freeNames(a.difference).join() !== freeNames(b.difference).join())
    return different('relations between different symbols');
  if (hasHiddenSymbols(a.difference) !== hasHiddenSymbols(b.difference))
    return undecided('one of the relations divides by a symbol');
  if (shapeOf(a.difference) === shapeOf(b.difference)) return equal('written alike');
  const isOrder = a.operator.startsWith('<');
  const samples = sampleBoth(a.difference, b.difference, context);
  const [first] = samples;
  if (first === undefined || samples.length < 2) return undecided('the relations have no value at most random points');
  // A side that is 0 everywhere is no multiple of anything: `0x = 0` holds for all x.
  if (samples.some((sample) => mayBeZero(sample.a) !== mayBeZero(sample.b)))
    return different('one of the relations always holds, or never');
  if (isOrder && realSign(divideComplex(first.a, first.b, first.bits)) < 0)
    return different('the inequality is turned round');
  const isProportional = samples.every((sample) => {
    const left = multiplyComplex(sample.a, first.b, sample.bits);
    const right = multiplyComplex(first.a, sample.b, sample.bits);
    return overlaps(left.re, right.re) && overlaps(left.im, right.im);
  });
  return isProportional ? equal('the same relation up to a factor', 0.98) : different('not the same relation');
}

function mayBeZero({ re, im }: ComplexInterval): boolean {
  return [re, im].every(({ low, high }) => low <= 0n && high >= 0n);
}

interface Sample {
  readonly a: ComplexInterval;
  readonly b: ComplexInterval;
  readonly bits: number;
}

function sampleBoth(a: Expression, b: Expression, context: ScalarContext): Sample[] {
  const algebra: Algebra = { atoms: new Map(), effort: context.effort };
  const random = seededRandom(seedFrom('relations', context.seed));
  const names = freeNames(b);
  const bits = SAMPLE_BITS;
  const samples: Sample[] = [];
  for (let sample = 0; sample < POINTS; sample++) {
    const point = samplePoint(algebra, random, sample, names);
    try {
      samples.push({
        a: evaluateNumerically(a, bits, point, context.effort),
        b: evaluateNumerically(b, bits, point, context.effort),
        bits,
      });
    } catch (error) {
      const isWithoutValue =
        error instanceof Imprecise || (error instanceof Unreadable && error.reason === 'undefined');
      if (!isWithoutValue) throw error;
    }
  }
  return samples;
}

/** A symbol stands in a denominator: multiplying it out would change where the relation has a meaning. */
function hasHiddenSymbols(expression: Expression): boolean {
  return someNode(
    expression,
    (node) =>
      node.kind === 'quotient' &&
      partsOf(node)
        .slice(1)
        .some((under) => freeNames(under).length > 0),
  );
}
