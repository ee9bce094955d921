import type { FactExample, HarnessFacts } from '../harness-facts/harness-facts.ts';
import type { HarnessDefect } from './harness-defect.ts';

const FEWEST_VALUES = 2;

/** Examples whose calls take nothing from their problem: they solve another one. */
export function mismatchedExample({ examples }: HarnessFacts): HarnessDefect[] {
  return examples.flatMap((example) => {
    const values = valuesOf(example);
    const taken = values.filter((value) => example.problem.toLowerCase().includes(value));
    if (example.problem === '' || values.length < FEWEST_VALUES || taken.length > 0) return [];
    return [
      {
        label: 'prompt_ambiguity',
        component: 'example',
        path: example.path,
        mechanism: 'example-solves-another-problem',
        explanation:
          'No value in the calls of an example comes from its problem: it shows the solution of another one.',
        confidence: 0.8,
        quotes: [{ path: example.path, quote: `${example.problem} → ${JSON.stringify(example.calls)}` }],
        about: [],
        repair: null,
      },
    ];
  });
}

/** Numbers and longer words of the arguments, in lower case. */
function valuesOf({ calls }: FactExample): string[] {
  const text = JSON.stringify(calls.map(({ arguments: given }) => Object.values(given))).toLowerCase();
  return text.match(/\d+(?:\.\d+)?|\p{L}{4,}/gu) ?? [];
}
