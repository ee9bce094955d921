import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** More generated tokens per call where replies are cut (a relaxation), fewer where good replies never need them (a saving). */
export const tokenLimit: PatchOperator = {
  name: 'token-limit',
  reach: (cluster) => {
    if (cluster === null) return 0.2;
    return cluster.mechanism === 'cut-in-call' ? 0.7 : cluster.mechanism === 'cut-by-length' ? 0.4 : 0;
  },
  propose: ({ harness, clusters, successes, trajectories }) => {
    const now = harness.settings.limits.tokensPerTurn;
    const isCut = clusters.some(({ mechanism }) => mechanism === 'cut-in-call' || mechanism === 'cut-by-length');
    const needed = longestReply(successes, harness);
    const enough = needed === null ? null : Math.max(8, Math.ceil((needed * 1.5) / 8) * 8);
    // A limit that no reply meets saves nothing.
    const longest = Math.max(0, ...replyLengths(trajectories, harness));
    const lower = enough !== null && longest > enough ? enough : null;
    const limits = [
      ...(isCut ? [{ limit: now * 2, promise: 1 }] : []),
      ...(lower !== null && lower < now ? [{ limit: lower, promise: 0.8 }] : []),
    ];
    return limits.map(({ limit, promise }) => ({
      title: `${limit > now ? 'raise' : 'lower'} tokens per turn from ${now} to ${limit}`,
      edits: present([valueEdit(harness, 'harness.yaml', '/limits/tokensPerTurn', limit)]),
      component: 'settings',
      probe: { kind: 'setting-changed' },
      promise,
      relaxes: limit > now ? ['tokens'] : [],
    }));
  },
};

const ENOUGH_SUCCESSES = 5;

/** Tokens of the longest reply in verified successes under this harness; null with fewer than 5 of them. */
function longestReply(successes: readonly Trajectory[], harness: Harness): number | null {
  const own = successes.filter(({ identity }) => identity.harness === harness.hash);
  if (own.length < ENOUGH_SUCCESSES) return null;
  return Math.max(...replyLengths(own, harness));
}

function replyLengths(trajectories: readonly Trajectory[], { hash }: Harness): number[] {
  return trajectories
    .filter(({ identity }) => identity.harness === hash)
    .flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'model-called' ? [event.usage.completionTokens] : [])),
    );
}
