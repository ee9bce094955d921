import type { PatchOperator } from '../patch-operator.ts';
import { addedExamples, type ExampleSet, examplesFor } from './example-drafts.ts';

const SETS: readonly (ExampleSet & { promise: number })[] = [
  { count: 4, choice: 'diverse', promise: 1 },
  { count: 8, choice: 'diverse', promise: 0.95 },
  { count: 4, choice: 'random', promise: 0.8 },
  { count: 8, choice: 'typical', promise: 0.8 },
  { count: 16, choice: 'diverse', promise: 0.75 },
  { count: 8, choice: 'random', promise: 0.7 },
  { count: 2, choice: 'diverse', promise: 0.4 },
];

/** Mechanisms that a shown call cures: no call at all, a call in the wrong form, arguments that do not fit, an answer in the wrong form. */
const CURES: Readonly<Record<string, number>> = {
  'no-call': 0.9,
  'narrated-call': 0.9,
  'invented-observation': 0.8,
  'call-in-other-form': 0.8,
  'call-unreadable': 0.7,
  'misnamed-argument': 0.7,
  'missing-argument': 0.7,
  'extra-argument': 0.6,
  'unfit-argument-value': 0.6,
  'unknown-tool': 0.6,
  'tool-failed': 0.5,
  'no-answer': 0.6,
  'cut-by-length': 0.5,
};

/** Shows solved train tasks as earlier turns of the conversation, where φ shows none yet. */
export const workedExamples: PatchOperator = {
  name: 'worked-examples',
  reach: (cluster) => (cluster === null ? 0.3 : (CURES[cluster.mechanism] ?? 0)),
  propose: (context) => {
    if (context.harness.examples.length > 0) return [];
    return SETS.flatMap((set) => {
      const chosen = examplesFor(context, set);
      if (chosen.length === 0) return [];
      return {
        title: `show ${chosen.length} worked examples as earlier turns (${set.choice})`,
        edits: addedExamples(context.harness, chosen),
        component: 'example',
        probe: { kind: 'prompt-changed' },
        promise: set.promise,
        usesTasks: chosen.map(({ task }) => task),
      };
    });
  },
};
