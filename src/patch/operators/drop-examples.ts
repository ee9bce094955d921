import type { PatchOperator } from '../patch-operator.ts';
import { removedExamples } from './example-drafts.ts';

/** Fewer examples: half of them, the longest one, or all. A simplification, and what helps when they fill the window. */
export const dropExamples: PatchOperator = {
  name: 'drop-examples',
  reach: (cluster, harness) => {
    if (harness.examples.length === 0) return 0;
    if (cluster === null) return 0.15;
    return cluster.mechanism === 'prefix-fills-window' ? 0.9 : cluster.mechanism === 'history-fills-window' ? 0.5 : 0;
  },
  propose: ({ harness, random }) => {
    const { examples } = harness;
    const length = ({ problem, steps }: (typeof examples)[number]) => problem.length + JSON.stringify(steps).length;
    const longest = [...examples].sort((a, b) => length(b) - length(a)).slice(0, 1);
    const half = random.shuffled(examples).slice(0, Math.floor(examples.length / 2));
    const drops = [
      { out: half, promise: 1 },
      { out: longest, promise: 0.8 },
      { out: examples, promise: 0.3 },
    ];
    return drops
      .filter(({ out }, index) => out.length > 0 && (index < 2 || examples.length > 1))
      .map(({ out, promise }) => ({
        title: `drop ${out.length} of ${examples.length} worked examples`,
        edits: removedExamples(
          harness,
          out.map(({ name }) => name),
        ),
        component: 'example' as const,
        probe: { kind: 'prompt-changed' as const },
        promise,
      }));
  },
};
