import { present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Drops old turns earlier where the window overflows; keeps more where what was dropped is missed. */
export const historyLimit: PatchOperator = {
  name: 'history-limit',
  reach: (cluster) => {
    if (cluster === null) return 0;
    return cluster.mechanism === 'history-fills-window' ? 0.7 : cluster.mechanism === 'history-trimmed' ? 0.7 : 0;
  },
  propose: ({ harness, trajectories, clusters }) => {
    const now = harness.memory.historyTokens;
    const sizes = trajectories.flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'model-called' ? [event.usage.promptTokens] : [])),
    );
    const largest = Math.max(0, ...sizes);
    const isTrimmed = clusters.some(({ mechanism }) => mechanism === 'history-trimmed');
    if (largest === 0) return [];
    const limits: (number | null)[] =
      isTrimmed && now !== null ? [now * 2, null] : [Math.max(64, Math.floor(largest / 2))];
    return limits
      .filter((limit) => limit !== now)
      .map((limit, rank) => ({
        title: limit === null ? 'keep the whole history' : `keep at most ${limit} tokens of history`,
        edits: present([valueEdit(harness, 'memory.yaml', '/historyTokens', limit)]),
        component: 'memory',
        probe: { kind: 'setting-changed' },
        promise: 1 - rank * 0.2,
      }));
  },
};
