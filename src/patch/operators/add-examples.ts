import type { PatchOperator } from '../patch-operator.ts';
import { addedExamples, type ExampleSet, examplesFor } from './example-drafts.ts';

const MOST_EXAMPLES = 32;

/** Adds to the examples that φ shows: as many again, or a few. */
export const addExamples: PatchOperator = {
  name: 'add-examples',
  reach: (cluster) => {
    if (cluster === null) return 0.5;
    return cluster.component === 'memory' ? 0 : 0.4;
  },
  propose: (context) => {
    const shown = context.harness.examples.length;
    if (shown === 0 || shown >= MOST_EXAMPLES) return [];
    const room = MOST_EXAMPLES - shown;
    const sets: (ExampleSet & { promise: number })[] = [
      { count: Math.min(room, Math.max(4, shown)), choice: 'diverse', promise: 1 },
      { count: Math.min(room, Math.max(4, shown)), choice: 'missed', promise: 0.95 },
      { count: Math.min(room, Math.max(4, shown)), choice: 'typical', promise: 0.9 },
      { count: Math.min(room, 4), choice: 'random', promise: 0.7 },
    ];
    return sets.flatMap((set) => {
      const chosen = examplesFor(context, set);
      if (chosen.length === 0) return [];
      return {
        title: `add ${chosen.length} worked examples to ${shown} (${set.choice})`,
        edits: addedExamples(context.harness, chosen),
        component: 'example',
        probe: { kind: 'prompt-changed' },
        promise: set.promise,
        usesTasks: chosen.map(({ task }) => task),
      };
    });
  },
};
