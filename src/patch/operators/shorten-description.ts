import { present, toolEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Keeps only the first sentence of a tool's description: what was added later promises what the tool does not do. */
export const shortenDescription: PatchOperator = {
  name: 'shorten-description',
  reach: (cluster) => {
    if (cluster === null) return 0.05;
    return cluster.label === 'tool_schema_error' ? 0.5 : 0;
  },
  propose: ({ harness }) =>
    harness.tools.flatMap(({ name, description }) => {
      const [first = ''] = description.split(/(?<=[.!?])\s+/);
      if (first === '' || first === description.trim()) return [];
      return [
        {
          title: `keep only the first sentence of the description of ${name}`,
          edits: present([toolEdit(harness, name, '/description', first)]),
          component: 'tool' as const,
          probe: { kind: 'prompt-changed' as const },
          promise: 1,
        },
      ];
    }),
};
