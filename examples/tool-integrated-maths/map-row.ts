import type { TaskRow } from '../../src/task/task.ts';
import { mapRow as mapWordProblem } from '../word-problems/map-row.ts';

/** An expression that Python reads as the calculator does, and whose value it prints as a whole number. */
const PLAIN_EXPRESSION = /^[\d\s()+*-]+$/;

/**
 * Rows with worked calculator marks (GSM8K) or an equation (MAWPS/ASDiv) → tasks whose reference solution runs the last step as Python; everything else
 * passes through. No reference where Python would print another text than the answer (`72.0` for `72`): an example must show what the tool gives.
 */
export function mapRow(source: unknown): TaskRow | null {
  const mapped = mapWordProblem(source);
  if (mapped === null) return null;
  const { reference, ...task } = mapped;
  const expression = reference?.calls.at(-1)?.arguments.expression;
  if (typeof expression !== 'string' || !PLAIN_EXPRESSION.test(expression)) return task;
  const calls = [{ tool: 'run_python', arguments: { code: `print(${expression.trim()})` } }];
  return { ...task, reference: { calls, text: `\\boxed{${String(task.answer)}}` } };
}
