import type { Answer } from './answer.ts';
import { Unreadable } from './answer-limits.ts';
import { type Expression, partsOf, shapeOf } from './expression.ts';
import { parseAnswer } from './parse-answer.ts';
import { expressionsOf } from './spread-either.ts';

const MOST_FORMULAS = 200;
const FORMULA = /\$\$((?:\\.|[^$\\]){1,2000})\$\$|(?<!\\)\$((?:\\.|[^$\\]){1,2000})\$/gs;

/**
 * True when the prediction is a calculation that stands in the question and that the gold does not repeat: then it restates the problem ("compute 2+2" — "2+2").
 * Plain numbers, fractions and symbols are never a repetition.
 */
export function echoesQuestion(prediction: Answer, gold: Answer, question: string): boolean {
  const known = new Set(expressionsOf(gold).map(shapeOf));
  const restated = expressionsOf(prediction).filter(
    (expression) => !isSettled(expression) && !known.has(shapeOf(expression)),
  );
  if (restated.length === 0) return false;
  const shapes = questionShapes(question);
  return restated.some((expression) => shapes.has(shapeOf(expression)));
}

/** Nothing is left to calculate: a number, symbol, constant, or a fraction or multiple of those. */
function isSettled(expression: Expression): boolean {
  switch (expression.kind) {
    case 'number':
    case 'symbol':
    case 'constant':
      return true;
    case 'negative':
      return isSettled(expression.of);
    case 'quotient':
      return expression.over.kind === 'number' && expression.under.kind === 'number';
    default:
      return false;
  }
}

function questionShapes(question: string): Set<string> {
  const shapes = new Set<string>();
  let formulas = 0;
  for (const match of question.matchAll(FORMULA)) {
    if (++formulas > MOST_FORMULAS) break;
    for (const expression of formulaExpressions(match[1] ?? match[2] ?? '')) addShapes(shapes, expression);
  }
  return shapes;
}

function formulaExpressions(formula: string): Expression[] {
  try {
    return expressionsOf(parseAnswer(formula.replace(/[.,;]\s*$/, '')));
  } catch (error) {
    if (error instanceof Unreadable) return [];
    throw error;
  }
}

function addShapes(shapes: Set<string>, expression: Expression): void {
  if (!isSettled(expression)) shapes.add(shapeOf(expression));
  for (const part of partsOf(expression)) addShapes(shapes, part);
}
