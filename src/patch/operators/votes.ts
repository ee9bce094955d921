import type { Harness } from '../../harness/harness.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';

/**
 * Majority over several sampled rollouts, and back to one: bought, never better. At the same number of votes: no rollout that cannot change the result (a
 * saving), and more weight for answers that a tool gave.
 */
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
    const byCount = counts.map((count) => ({
      title: count > 1 ? `majority of ${count} sampled rollouts` : 'one rollout without a vote',
      edits: present([
        valueEdit(harness, 'harness.yaml', '/votes', count),
        valueEdit(harness, 'harness.yaml', '/sampling/temperature', count > 1 ? temperature : 0),
      ]),
      component: 'settings' as const,
      probe: { kind: 'setting-changed' as const },
      promise: count === 3 ? 1 : 0.7,
      relaxes: count > now ? ['votes' as const] : [],
    }));
    return [...byCount, ...sameVotes(harness)];
  },
};

function sameVotes(harness: Harness): PatchDraft[] {
  const { votes: count, voting } = harness.settings;
  if (count === 1) return [];
  const setting = { component: 'settings', probe: { kind: 'setting-changed' } } as const;
  const early = voting.stopWhenDecided ? null : valueEdit(harness, 'harness.yaml', '/voting/stopWhenDecided', true);
  const weighted = valueEdit(
    harness,
    'harness.yaml',
    '/voting/weights',
    voting.weights === 'equal' ? 'evidence' : 'equal',
  );
  return [
    { ...setting, title: 'stop a vote that is decided', edits: present([early]), promise: 0.9 },
    { ...setting, title: 'weigh votes otherwise', edits: present([weighted]), promise: 0.3 },
  ];
}
