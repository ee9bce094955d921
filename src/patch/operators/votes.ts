import type { Harness } from '../../harness/harness.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';

/**
 * Majority over several sampled rollouts, also as many as fit into a time budget per task, and back to one: bought, never better. At the same number of
 * votes: no rollout that cannot change the result (a saving), and more weight for answers that a tool gave.
 */
export const votes: PatchOperator = {
  name: 'votes',
  reach: (cluster, harness) => {
    const isSampled = harness.settings.votes > 1;
    return cluster === null ? (isSampled ? 0.15 : 0.12) : 0;
  },
  propose: (context) => {
    const { harness } = context;
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
    return [...byCount, ...votesInTime(context), ...sameVotes(harness)];
  },
};

const VOTES_IN_TIME = 7;
/** Passes one after the other that the time budget has room for, by the slow ones among those seen. */
const PASSES_IN_TIME = 4;
const FEWEST_TIMED = 10;

/** Votes until they are decided or the time of a task is over, from how long single rollouts of this φ took. */
function votesInTime({ harness, trajectories }: OperatorContext): PatchDraft[] {
  const { votes: now, limits, sampling } = harness.settings;
  const times = trajectories
    .filter(({ identity, outcome }) => identity.harness === harness.hash && outcome.kind === 'scored')
    .map(({ wallMs }) => wallMs)
    .sort((a, b) => a - b);
  const slow = times[Math.floor(times.length * 0.9)] ?? 0;
  const budget = roundUp(Math.ceil(slow) * PASSES_IN_TIME);
  if (now >= VOTES_IN_TIME || times.length < FEWEST_TIMED || budget === 0 || budget >= limits.wallMs) return [];
  const edits = present([
    valueEdit(harness, 'harness.yaml', '/votes', VOTES_IN_TIME),
    valueEdit(harness, 'harness.yaml', '/sampling/temperature', Math.max(sampling.temperature, 0.7)),
    valueEdit(harness, 'harness.yaml', '/voting', { ...harness.settings.voting, stopWhenDecided: true }),
    valueEdit(harness, 'harness.yaml', '/limits/wallMs', budget),
  ]);
  const title = `majority of up to ${VOTES_IN_TIME} sampled rollouts within ${budget} ms a task`;
  return [
    { title, edits, component: 'settings', probe: { kind: 'setting-changed' }, promise: 0.5, relaxes: ['votes'] },
  ];
}

/** To 1, 2 or 5 times a power of ten: no two measurements agree to the millisecond, and a diff that was refused must be known again. */
function roundUp(ms: number): number {
  if (ms === 0) return 0;
  const unit = 10 ** Math.floor(Math.log10(ms));
  return unit * ([1, 2, 5].find((step) => step * unit >= ms) ?? 10);
}

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
