import type { Answer, Comparison } from './answer.ts';
import { compareReals, compareScalars, type ScalarContext } from './compare-scalars.ts';
import { type Expression, infinityOf, isConstant } from './expression.ts';
import { allEqual, different, type Outcome } from './outcome.ts';

/** An interval of reals with constant ends; ±∞ is never closed. */
interface Piece {
  readonly low: Expression;
  readonly high: Expression;
  readonly lowClosed: boolean;
  readonly highClosed: boolean;
}

/** Disjoint pieces in ascending order that do not touch. */
export type RealSet = readonly Piece[];

const INFINITY: Expression = { kind: 'constant', name: 'infinity' };
const MINUS_INFINITY: Expression = { kind: 'negative', of: INFINITY };
const LINE: Piece = { low: MINUS_INFINITY, high: INFINITY, lowClosed: false, highClosed: false };

/** The set of reals that an answer describes, null where it describes none: points of two numbers and lists are no sets unless something says so. */
export function realSetOf(answer: Answer, context: ScalarContext): RealSet | null {
  const pieces = piecesOf(answer, context);
  return pieces === null ? null : merged(pieces, context);
}

/** Both sets have the same pieces, ends compared like values. */
export function compareRealSets(prediction: RealSet, gold: RealSet, context: ScalarContext): Outcome {
  if (prediction.length !== gold.length) return different('the sets have different pieces');
  return allEqual(
    gold.flatMap((piece, index) => {
      const other = prediction[index] as Piece;
      if (piece.lowClosed !== other.lowClosed || piece.highClosed !== other.highClosed)
        return [different('an end is open in one of them')];
      return [compareScalars(other.low, piece.low, context), compareScalars(other.high, piece.high, context)];
    }),
  );
}

function piecesOf(answer: Answer, context: ScalarContext): Piece[] | null {
  switch (answer.kind) {
    case 'interval':
      return intervalPiece(answer.low, answer.high, answer.lowClosed, answer.highClosed, context);
    case 'union':
      return joined(answer.parts.map((part) => memberPieces(part, context)));
    case 'without': {
      const whole = memberPieces(answer.whole, context);
      const removed = memberPieces(answer.removed, context);
      if (whole === null || removed === null) return null;
      return intersection(merged(whole, context), complement(merged(removed, context)), context);
    }
    case 'number-set':
      return answer.name === 'R' ? [LINE] : null;
    case 'relation':
      return relationPieces(answer, context);
    case 'membership':
      return memberPieces(answer.set, context);
    case 'list':
      return answer.braces ? null : relationListPieces(answer, context);
    default:
      return null;
  }
}

/** Inside a union or a difference `(1,2)` is an interval and `{1, 2}` are points. */
function memberPieces(answer: Answer, context: ScalarContext): Piece[] | null {
  if (answer.kind === 'tuple' && answer.items.length === 2) {
    const [low, high] = answer.items as [Answer, Answer];
    return intervalPiece(low, high, false, false, context);
  }
  if (answer.kind === 'list' && answer.braces) {
    return joined(
      answer.items.map((item) => {
        const at = plainConstant(item);
        return at === null ? null : [point(at)];
      }),
    );
  }
  return piecesOf(answer, context);
}

/** The same where the answer stands beside a set of reals: `(1,2)` is an open interval and `{1, 2}` are points there. */
export function memberSetOf(answer: Answer, context: ScalarContext): RealSet | null {
  const pieces = memberPieces(answer, context);
  return pieces === null ? null : merged(pieces, context);
}

function point(at: Expression): Piece {
  return { low: at, high: at, lowClosed: true, highClosed: true };
}

function plainConstant(answer: Answer): Expression | null {
  const isPlain = answer.kind === 'value' && answer.unit === null && !answer.percent && isConstant(answer.expression);
  return isPlain ? answer.expression : null;
}

function intervalPiece(
  low: Answer,
  high: Answer,
  lowClosed: boolean,
  highClosed: boolean,
  context: ScalarContext,
): Piece[] | null {
  const from = plainConstant(low);
  const to = plainConstant(high);
  if (from === null || to === null) return null;
  const order = compareReals(from, to, context);
  return order < 0 || (order === 0 && lowClosed && highClosed)
    ? [{ low: from, high: to, lowClosed, highClosed }]
    : null;
}

function joined(parts: readonly (Piece[] | null)[]): Piece[] | null {
  return parts.includes(null) ? null : (parts as Piece[][]).flat();
}

type Relation = Extract<Answer, { kind: 'relation' }>;

/** `1 < x \le 3`: every step compares the same lone symbol with a constant. */
function relationPieces({ sides, operators }: Relation, context: ScalarContext): Piece[] | null {
  let set: RealSet = [LINE];
  let symbol: string | null = null;
  for (const [index, operator] of operators.entries()) {
    const [left, right] = [sides[index] as Answer, sides[index + 1] as Answer];
    const bound = plainConstant(right) === null ? plainConstant(left) : plainConstant(right);
    const variable = loneSymbol(left) ?? loneSymbol(right);
    if (bound === null || variable === null || (symbol !== null && symbol !== variable)) return null;
    symbol = variable;
    set = intersection(set, halfLine(loneSymbol(left) === null ? mirrored(operator) : operator, bound), context);
  }
  return [...set];
}

function loneSymbol(answer: Answer): string | null {
  return answer.kind === 'value' && answer.expression.kind === 'symbol' && answer.unit === null
    ? answer.expression.name
    : null;
}

const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
  '=': '=',
  '!=': '!=',
};

export function mirrored(operator: Comparison): Comparison {
  return MIRRORED[operator];
}

/** All x with `x operator bound`. */
function halfLine(operator: Comparison, bound: Expression): RealSet {
  if (operator === '=') return [point(bound)];
  if (operator === '!=') return complement([point(bound)]);
  const closed = operator.endsWith('=');
  return operator.startsWith('<')
    ? [{ ...LINE, high: bound, highClosed: closed }]
    : [{ ...LINE, low: bound, lowClosed: closed }];
}

/** `x < 1 or x > 2`, `x > 1 and x < 2`. A comma alone does not say which is meant. */
function relationListPieces(answer: Extract<Answer, { kind: 'list' }>, context: ScalarContext): Piece[] | null {
  if (
    answer.joinedBy === null ||
    !answer.items.every((item) => item.kind === 'relation' && !item.operators.includes('='))
  )
    return null;
  const sets = answer.items.map((item) => realSetOf(item, context));
  if (sets.includes(null)) return null;
  if (answer.joinedBy === 'or') return (sets as RealSet[]).flat();
  return [...(sets as RealSet[]).reduce((left, right) => intersection(left, right, context))];
}

function complement(set: RealSet): RealSet {
  const gaps: Piece[] = [];
  let low: Pick<Piece, 'low' | 'lowClosed'> = { low: MINUS_INFINITY, lowClosed: false };
  for (const piece of set) {
    gaps.push({ ...low, high: piece.low, highClosed: !piece.lowClosed });
    low = { low: piece.high, lowClosed: !piece.highClosed };
  }
  gaps.push({ ...low, high: INFINITY, highClosed: false });
  return gaps
    .filter((gap) => infinityOf(gap.low) === null || infinityOf(gap.low) !== infinityOf(gap.high))
    .map((gap) => ({
      ...gap,
      lowClosed: gap.lowClosed && infinityOf(gap.low) === null,
      highClosed: gap.highClosed && infinityOf(gap.high) === null,
    }));
}

function intersection(left: RealSet, right: RealSet, context: ScalarContext): Piece[] {
  const found: Piece[] = [];
  for (const a of left) {
    for (const b of right) {
      const lowOrder = compareReals(a.low, b.low, context);
      const highOrder = compareReals(a.high, b.high, context);
      const piece: Piece = {
        low: lowOrder >= 0 ? a.low : b.low,
        lowClosed: lowOrder === 0 ? a.lowClosed && b.lowClosed : lowOrder > 0 ? a.lowClosed : b.lowClosed,
        high: highOrder <= 0 ? a.high : b.high,
        highClosed: highOrder === 0 ? a.highClosed && b.highClosed : highOrder < 0 ? a.highClosed : b.highClosed,
      };
      const order = compareReals(piece.low, piece.high, context);
      if (order < 0 || (order === 0 && piece.lowClosed && piece.highClosed)) found.push(piece);
    }
  }
  return found;
}

/** Ascending, pieces that overlap or touch made one. */
function merged(pieces: readonly Piece[], context: ScalarContext): RealSet {
  const sorted = [...pieces].sort(
    (a, b) => compareReals(a.low, b.low, context) || Number(b.lowClosed) - Number(a.lowClosed),
  );
  const result: Piece[] = [];
  for (const piece of sorted) {
    const last = result.at(-1);
    const gap = last === undefined ? 1 : compareReals(piece.low, last.high, context);
    if (last === undefined || gap > 0 || (gap === 0 && !last.highClosed && !piece.lowClosed)) {
      result.push(piece);
      continue;
    }
    const order = compareReals(piece.high, last.high, context);
    const highClosed =
      order === 0 ? piece.highClosed || last.highClosed : order > 0 ? piece.highClosed : last.highClosed;
    result[result.length - 1] = { ...last, high: order > 0 ? piece.high : last.high, highClosed };
  }
  return result;
}
