import { present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/**
 * Where single rollouts are sampled: greedy decoding, and half the temperature. No failure names the temperature, as each sample has a reason of its own. Nothing where the
 * recorded calls had another temperature than φ says: a program of somebody's own sets it itself.
 */
export const temperature: PatchOperator = {
  name: 'temperature',
  reach: (cluster) => (cluster === null ? 0.3 : 0),
  propose: ({ harness, trajectories }) => {
    const now = harness.settings.sampling.temperature;
    if (harness.settings.votes > 1 || now === 0) return [];
    const calls = trajectories
      .filter(({ identity }) => identity.harness === harness.hash && identity.sampling === null)
      .flatMap(({ events }) => events.filter((event) => event.type === 'model-called'));
    if (calls.some(({ sampling }) => sampling.temperature !== now)) return [];
    return [
      { value: 0, title: 'decode greedily', promise: 1 },
      { value: now / 2, title: `sample at temperature ${now / 2}`, promise: 0.6 },
    ].map(({ value, ...draft }) => ({
      ...draft,
      edits: present([valueEdit(harness, 'harness.yaml', '/sampling/temperature', value)]),
      component: 'settings',
      probe: { kind: 'setting-changed' },
    }));
  },
};
