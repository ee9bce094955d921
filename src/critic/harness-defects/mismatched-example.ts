import type { PatchEdit } from '../../harness/patch-edit.ts';
import type { FactExample, HarnessFacts } from '../harness-facts/harness-facts.ts';
import type { HarnessDefect } from './harness-defect.ts';

const FEWEST_VALUES = 2;
const NUMBER = /\d+(?:\.\d+)?/g;
const VALUE = /\d+(?:\.\d+)?|\p{L}{4,}/gu;

/** Examples whose calls take nothing from their problem: they solve another one. Where it is the problem of another such example, the repair gives each its own. */
export function mismatchedExample({ examples }: HarnessFacts): HarnessDefect[] {
  const mismatched = examples.filter(
    (example) =>
      example.problem !== '' && valuesOf(example).length >= FEWEST_VALUES && takenFrom(example, example.problem) === 0,
  );
  const repair = exchange(mismatched);
  return mismatched.map((example) => {
    return {
      label: 'prompt_ambiguity',
      component: 'example',
      path: example.path,
      mechanism: 'example-solves-another-problem',
      explanation: 'No value in the calls of an example comes from its problem: it shows the solution of another one.',
      confidence: 0.8,
      quotes: [{ path: example.path, quote: `${example.problem} → ${JSON.stringify(example.calls)}` }],
      about: [],
      repair,
    };
  });
}

/** Values of the calls that a problem holds. */
function takenFrom(example: FactExample, problem: string): number {
  const text = problem.toLowerCase();
  const numbers = new Set(text.match(NUMBER));
  return valuesOf(example).filter((value) => (/^\d/.test(value) ? numbers.has(value) : text.includes(value))).length;
}

/** Gives each example the problem that holds most of its values, among their own; null where one finds none or two want the same. Files of our own format alone. */
function exchange(examples: readonly FactExample[]): PatchEdit[] | null {
  const owners = examples.map((example) => {
    const [best] = examples.toSorted((a, b) => takenFrom(example, b.problem) - takenFrom(example, a.problem));
    return best === undefined || 2 * takenFrom(example, best.problem) < valuesOf(example).length ? null : best;
  });
  const isExchange = examples.length > 1 && !owners.includes(null) && new Set(owners).size === owners.length;
  if (!isExchange || !examples.every(({ path }) => path.endsWith('.yaml'))) return null;
  return examples.map(({ path, problem }, index) => ({
    path: `${path}#/problem`,
    old: problem,
    value: owners[index]?.problem ?? problem,
  }));
}

/** Numbers and longer words of the arguments, in lower case. */
function valuesOf({ calls }: FactExample): string[] {
  const text = JSON.stringify(calls.map(({ arguments: given }) => Object.values(given))).toLowerCase();
  return text.match(VALUE) ?? [];
}
