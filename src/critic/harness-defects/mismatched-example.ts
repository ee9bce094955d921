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
      repair: repair?.some(({ path }) => path === `${example.path}#/problem`) ? repair : null,
    };
  });
}

/** Values of the calls that a problem holds. */
function takenFrom(example: FactExample, problem: string): number {
  const text = problem.toLowerCase();
  const numbers = new Set(text.match(NUMBER));
  return valuesOf(example).filter((value) => (/^\d/.test(value) ? numbers.has(value) : text.includes(value))).length;
}

/**
 * Gives examples that changed places the problem that holds most of their values. One that finds no such problem among the others stays out, and with it those
 * that want its place; null where none are left. Files of our own format alone.
 */
function exchange(examples: readonly FactExample[]): PatchEdit[] | null {
  const owners = new Map(
    examples
      .filter(({ path }) => path.endsWith('.yaml'))
      .flatMap((example): [FactExample, FactExample][] => {
        const owner = ownerOf(example, examples);
        return owner === null ? [] : [[example, owner]];
      }),
  );
  for (let size = -1; size !== owners.size; ) {
    size = owners.size;
    const taken = new Set(owners.values());
    for (const [example, owner] of owners) if (!owners.has(owner) || !taken.has(example)) owners.delete(example);
  }
  // What is left is owned by exactly one of its own: places that were exchanged.
  if (owners.size === 0) return null;
  return [...owners].map(([{ path, problem }, owner]) => ({
    path: `${path}#/problem`,
    old: problem,
    value: owner.problem,
  }));
}

/** The example whose problem holds most values of this one's calls, at least half of them; null where there is none or it is the example itself. */
function ownerOf(example: FactExample, examples: readonly FactExample[]): FactExample | null {
  const [best] = examples.toSorted((a, b) => takenFrom(example, b.problem) - takenFrom(example, a.problem));
  const isHalf = best !== undefined && 2 * takenFrom(example, best.problem) >= valuesOf(example).length;
  return isHalf && best !== example ? best : null;
}

/** Numbers and longer words of the arguments, in lower case. */
function valuesOf({ calls }: FactExample): string[] {
  const text = JSON.stringify(calls.map(({ arguments: given }) => Object.values(given))).toLowerCase();
  return text.match(VALUE) ?? [];
}
