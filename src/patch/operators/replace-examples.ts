import type { PatchOperator } from '../patch-operator.ts';
import { addedExamples, type ExampleSet, examplesFor, removedExamples } from './example-drafts.ts';

const MOST_EXAMPLES = 32;

/** Other examples in the place of those shown: all of them, or one. */
export const replaceExamples: PatchOperator = {
  name: 'replace-examples',
  reach: (cluster) => (cluster === null ? 0.45 : 0.3),
  propose: (context) => {
    const names = context.harness.examples.map((example) => example.name);
    if (names.length === 0) return [];
    const one = names[context.random.below(names.length)];
    const swaps: (ExampleSet & { out: readonly string[]; promise: number })[] = [
      { out: names, count: names.length, choice: 'typical', promise: 1 },
      { out: names, count: Math.min(MOST_EXAMPLES, names.length * 2), choice: 'typical', promise: 0.95 },
      { out: names, count: names.length, choice: 'random', promise: 0.9 },
      { out: names, count: names.length, choice: 'diverse', promise: 0.9 },
      ...(one === undefined ? [] : [{ out: [one], count: 1, choice: 'diverse' as const, promise: 0.5 }]),
    ];
    return swaps.flatMap((swap) => {
      const chosen = examplesFor(context, swap);
      if (chosen.length === 0) return [];
      return {
        title: `replace ${swap.out.length} of ${names.length} worked examples by ${chosen.length} (${swap.choice})`,
        edits: [...removedExamples(context.harness, swap.out), ...addedExamples(context.harness, chosen)],
        component: 'example',
        probe: { kind: 'prompt-changed' },
        promise: swap.promise,
        usesTasks: chosen.map(({ task }) => task),
      };
    });
  },
};
