import { present, valueEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Runs a tool again by itself that ran out of time. It takes time, so it can only be bought. */
export const toolRuns: PatchOperator = {
  name: 'tool-runs',
  reach: (cluster) => (cluster?.mechanism === 'tool-timeout' ? 0.3 : 0),
  propose: ({ harness }) => [
    {
      title: 'run a tool again that ran out of time',
      edits: present([valueEdit(harness, 'retry.yaml', '/toolRuns', harness.retry.toolRuns + 1)]),
      component: 'retry',
      probe: { kind: 'event-seen', event: 'retried' },
      promise: 1,
      relaxes: ['time'],
    },
  ],
};
