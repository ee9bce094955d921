import { present, toolEdit } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** What a capped value ends with. */
const CUT = /\[\d+ more characters\]/;
const LEAST_LIMIT = 64;

/** More room for the values of tools whose values were seen to be cut. */
export const outputLimit: PatchOperator = {
  name: 'output-limit',
  reach: (cluster, harness) => {
    const isTight = harness.tools.some(({ limits }) => limits.outputCharacters < LEAST_LIMIT);
    if (cluster === null) return isTight ? 0.5 : 0;
    return cluster.label === 'tool_schema_error' ? 0.7 : 0;
  },
  propose: ({ harness, trajectories }) => {
    const cut = new Set(
      trajectories.flatMap(({ events }) =>
        events.flatMap((event) => (event.type === 'tool-returned' && CUT.test(event.value) ? [event.call.tool] : [])),
      ),
    );
    const edits = present(
      harness.tools
        .filter(({ name }) => cut.has(name))
        .map(({ name, limits }) => {
          const limit = Math.max(LEAST_LIMIT, limits.outputCharacters * 4);
          return toolEdit(harness, name, '/limits/outputCharacters', limit);
        }),
    );
    if (edits.length === 0) return [];
    return [
      {
        title: `show more of the values of ${[...cut].join(', ')}`,
        edits,
        component: 'tool',
        probe: { kind: 'prompt-changed' },
        promise: 1,
      },
    ];
  },
};
