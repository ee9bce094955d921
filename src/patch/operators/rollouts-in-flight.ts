import { present, valueEdit } from '../harness-edits.ts';
import type { OperatorContext, PatchDraft, PatchOperator } from '../patch-operator.ts';

/** Tried where the engine's own number is in use: more of them keep it busy while tools run. */
const MANY = 32;
/** Tried where rollouts run out of time under the engine's own number. */
const FEW = 2;

/**
 * How many rollouts run side by side: as many as the engine wants, or more, to save time (no answer changes, so that the gate asks for seconds alone); fewer
 * where rollouts run out of time beside one another.
 */
export const rolloutsInFlight: PatchOperator = {
  name: 'rollouts-in-flight',
  reach: (cluster) => (cluster === null ? 0.25 : cluster.mechanism === 'wall-limit' ? 0.3 : 0),
  propose: (context) => {
    const now = context.harness.settings.batching.inFlight;
    const isCrowded = context.clusters.some(({ mechanism }) => mechanism === 'wall-limit');
    if (isCrowded) {
      const fewer = now === null ? FEW : Math.floor(now / 2);
      return fewer < 1 ? [] : drafts(context, [[fewer, 1]]);
    }
    if (now === null) return usesTools(context) ? drafts(context, [[MANY, 0.3]]) : [];
    return drafts(context, [
      [null, 1],
      [now * 4, 0.6],
    ]);
  },
};

function drafts({ harness }: OperatorContext, numbers: readonly [inFlight: number | null, promise: number][]) {
  return numbers.map(
    ([inFlight, promise]): PatchDraft => ({
      title:
        inFlight === null
          ? 'as many rollouts in flight as the engine wants'
          : `${inFlight} rollout${inFlight === 1 ? '' : 's'} in flight`,
      edits: present([valueEdit(harness, 'harness.yaml', '/batching/inFlight', inFlight)]),
      component: 'settings',
      probe: { kind: 'in-flight-changed' },
      promise,
    }),
  );
}

function usesTools({ trajectories }: OperatorContext): boolean {
  return trajectories.some(({ events }) => events.some(({ type }) => type === 'tool-returned'));
}
