import type { Trajectory } from '../../trajectory/trajectory.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** More turns where the limit falls on a call (a relaxation); fewer where no rollout with an answer needed them (a saving). */
export const turnLimit: PatchOperator = {
  name: 'turn-limit',
  reach: (cluster) => (cluster === null ? 0.15 : cluster.mechanism === 'turn-limit-on-call' ? 0.6 : 0),
  propose: ({ harness, clusters, trajectories }) => {
    const now = harness.settings.limits.turns;
    const own = trajectories.filter(
      ({ identity, outcome }) => identity.harness === harness.hash && outcome.kind === 'scored' && outcome.score === 1,
    );
    const used = own.map(turnsOf);
    const enough = used.length >= 5 ? Math.max(1, ...used) : now;
    // A limit that no rollout meets saves nothing.
    const isMet = trajectories.some(
      (rollout) => rollout.identity.harness === harness.hash && turnsOf(rollout) > enough,
    );
    const lower = isMet ? enough : now;
    const isHit = clusters.some(({ mechanism }) => mechanism === 'turn-limit-on-call');
    const limits = [
      ...(isHit ? [{ limit: now + Math.max(1, Math.ceil(now / 2)), promise: 1 }] : []),
      ...(lower < now ? [{ limit: lower, promise: 0.8 }] : []),
    ];
    return limits.map(({ limit, promise }) => ({
      title: `${limit > now ? 'raise' : 'lower'} turns from ${now} to ${limit}`,
      edits: present([valueEdit(harness, 'harness.yaml', '/limits/turns', limit)]),
      component: 'settings',
      probe: { kind: 'setting-changed' },
      promise,
      relaxes: limit > now ? ['turns'] : [],
    }));
  },
};

function turnsOf({ events }: Trajectory): number {
  return events.filter(({ type }) => type === 'model-called').length;
}
