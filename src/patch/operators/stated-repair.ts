import type { Harness } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import { editedHarness } from '../edited-harness.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** The change that the evidence itself gives, as the critic states it. */
export const statedRepair: PatchOperator = {
  name: 'stated-repair',
  reach: (cluster) => ((cluster?.repair ?? []).length > 0 ? 0.95 : 0),
  propose: ({ clusters, harness }) =>
    clusters.flatMap(({ repair, component, mechanism }, rank) =>
      repair === undefined || component === null || !fits(harness, repair)
        ? []
        : [
            {
              title: `repair what the evidence shows: ${mechanism}`,
              edits: repair,
              component,
              probe: { kind: component === 'settings' || component === 'retry' ? 'setting-changed' : 'prompt-changed' },
              promise: 1 / (1 + rank / 4),
            } as const,
          ],
    ),
};

/** A repair can be stated on another view of φ than its files; one that does not fit them is none. */
function fits(harness: Harness, repair: readonly PatchEdit[]): boolean {
  const child = editedHarness(harness, repair);
  return child !== null && child.hash !== harness.hash;
}
