import { present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Majority over several sampled rollouts, and back to one. Bought, never better. */
export const votes: PatchOperator = {
  name: 'votes',
  reach: (cluster, harness) => {
    const isSampled = harness.settings.votes > 1;
    return cluster === null ? (isSampled ? 0.15 : 0.12) : 0;
  },
  propose: ({ harness }) => {
    const now = harness.settings.votes;
    const counts = [1, 3, 5].filter((count) => count !== now);
    const temperature = Math.max(harness.settings.sampling.temperature, 0.7);
    return counts.map((count) => ({
      title: count > 1 ? `majority of ${count} sampled rollouts` : 'one rollout without a vote',
      edits: present([
        valueEdit(harness, 'harness.yaml', '/votes', count),
        valueEdit(harness, 'harness.yaml', '/sampling/temperature', count > 1 ? temperature : 0),
      ]),
      component: 'settings',
      probe: { kind: 'setting-changed' },
      promise: count === 3 ? 1 : 0.7,
      relaxes: count > now ? ['votes'] : [],
    }));
  },
};
