import type { TaskRow } from '../../src/task/task.ts';
import { decimalText, evaluateExpression } from './evaluate-expression.ts';
import { infixOf } from './infix.ts';

/**
 * Rows of three formats → tasks, for `tasks.mapRow`:
 *
 * - MAWPS/ASDiv-A as in SVAMP (`equation_prefix` in Polish notation, `equation_ok`): one calculator call; rows whose
 *   equation does not give their answer (`equation_ok: false`) are dropped.
 * - GSM8K (`solution` with marks such as `<<48/2=24>>`): one call per mark.
 * - Anything else, the standard form {id, problem, answer, …} included, passes through and is checked as a task.
 *
 * A reference solution is only attached where its last call gives exactly the answer. Whoever loads the rows checks the
 * form of what comes out.
 */
export function mapRow(source: unknown): TaskRow | null {
  const row = source as Record<string, unknown>;
  if (typeof row.equation_prefix === 'string') {
    return row.equation_ok === false ? null : withReference(row, [infixOf(row.equation_prefix)]);
  }
  if (typeof row.solution === 'string') {
    return withReference(
      row,
      [...row.solution.matchAll(/<<([^<>=]+)=[^<>]*>>/g)].map(([, expression]) => expression as string),
    );
  }
  return row as TaskRow;
}

function withReference(row: Record<string, unknown>, expressions: readonly string[]): TaskRow {
  const { id, problem, answer, publishedOn } = row as TaskRow;
  const task = { id, problem, answer, ...(publishedOn === undefined ? {} : { publishedOn }) };
  const last = expressions.at(-1);
  if (last === undefined || valueText(last) !== answer) return task;
  const reference: TaskRow['reference'] = {
    calls: expressions.map((expression) => ({ tool: 'calculator', arguments: { expression } })),
    text: `The answer is ${answer}.`,
  };
  return { ...task, reference };
}

function valueText(expression: string): string | null {
  try {
    return decimalText(evaluateExpression(expression));
  } catch {
    return null;
  }
}
