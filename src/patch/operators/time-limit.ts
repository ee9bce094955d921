import { present, toolEdit, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** More time per rollout, or per call of the tools that ran out of it. */
export const timeLimit: PatchOperator = {
  name: 'time-limit',
  reach: (cluster) => (cluster?.mechanism === 'wall-limit' || cluster?.mechanism === 'tool-timeout' ? 0.5 : 0),
  propose: ({ harness, clusters }) => {
    const slowTools = harness.tools.filter((tool) =>
      clusters.some(({ mechanism, path }) => mechanism === 'tool-timeout' && path?.startsWith(`tools/${tool.name}/`)),
    );
    const isSlow = clusters.some(({ mechanism }) => mechanism === 'wall-limit');
    const edits = present([
      ...(isSlow ? [valueEdit(harness, 'harness.yaml', '/limits/wallMs', harness.settings.limits.wallMs * 2)] : []),
      ...slowTools.map(({ name, limits }) => toolEdit(harness, name, '/limits/wallMs', limits.wallMs * 2)),
    ]);
    if (edits.length === 0) return [];
    return [
      {
        title: 'double the time limits that ran out',
        edits,
        component: 'settings',
        probe: { kind: 'setting-changed' },
        promise: 1,
        relaxes: ['time'],
      },
    ];
  },
};
