import type { Answer } from './answer.ts';
import { Unreadable } from './answer-limits.ts';
import { type Expression, partsOf, someNode, withParts } from './expression.ts';

const MOST_SIGNS = 4;

/**
 * An answer with ± as the list of what it stands for, + first. Each ± is chosen on its own; where a ∓ stands too, all signs hang together. Throws Unreadable
 * `limit` for more than 4 free signs.
 */
export function spreadEither(answer: Answer): Answer {
  const signs = expressionsOf(answer).flatMap(signsOf);
  if (signs.length === 0) return answer;
  const linked = signs.includes('mp');
  if (!linked && signs.length > MOST_SIGNS) throw new Unreadable('limit', `more than ${MOST_SIGNS} signs ±`);
  const choices = 2 ** (linked ? 1 : signs.length);
  const items = Array.from({ length: choices }, (_, choice) => {
    let sign = 0;
    return mapExpressions(answer, (expression) =>
      choose(expression, () => ((linked ? choice : choice >> sign++) & 1) === 1),
    );
  });
  return { kind: 'list', items, braces: false, joinedBy: 'or' };
}

function signsOf(expression: Expression): ('pm' | 'mp')[] {
  if (!someNode(expression, (node) => node.kind === 'either')) return [];
  const own = expression.kind === 'either' ? [expression.flipped ? ('mp' as const) : ('pm' as const)] : [];
  return [...own, ...partsOf(expression).flatMap(signsOf)];
}

function choose(expression: Expression, isMinus: () => boolean): Expression {
  if (expression.kind !== 'either')
    return withParts(
      expression,
      partsOf(expression).map((part) => choose(part, isMinus)),
    );
  const minus = isMinus() !== expression.flipped;
  const of = choose(expression.of, isMinus);
  return minus ? { kind: 'negative', of } : of;
}

/** The expressions in an answer, in reading order. */
export function expressionsOf(answer: Answer): Expression[] {
  const found: Expression[] = [];
  mapExpressions(answer, (expression) => {
    found.push(expression);
    return expression;
  });
  return found;
}

/** The same answer with every expression replaced. */
function mapExpressions(answer: Answer, change: (expression: Expression) => Expression): Answer {
  const inside = (part: Answer): Answer => mapExpressions(part, change);
  switch (answer.kind) {
    case 'value':
      return { ...answer, expression: change(answer.expression) };
    case 'list':
    case 'tuple':
      return { ...answer, items: answer.items.map(inside) };
    case 'interval':
      return { ...answer, low: inside(answer.low), high: inside(answer.high) };
    case 'union':
    case 'ratio':
      return { ...answer, parts: answer.parts.map(inside) };
    case 'without':
      return { ...answer, whole: inside(answer.whole), removed: inside(answer.removed) };
    case 'matrix':
      return { ...answer, rows: answer.rows.map((row) => row.map(inside)) };
    case 'relation':
      return { ...answer, sides: answer.sides.map(inside) };
    case 'membership':
      return { ...answer, of: inside(answer.of), set: inside(answer.set) };
    case 'based':
    case 'number-set':
    case 'text':
      return answer;
  }
}
