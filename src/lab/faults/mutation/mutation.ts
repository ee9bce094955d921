import type { AttributionLabel } from '../../../critic/attribution.ts';
import type { ComponentKind, Harness } from '../../../harness/harness.ts';
import type { PatchEdit } from '../../../harness/patch-edit.ts';

/** Share of the tasks that a mutation must cost where other failures come and go beside it: those of a small model, or of a search. */
export const LEAST_LOSS = 0.2;

/** One break of one working harness, and what caused it. */
export interface Mutation {
  /** E.g. `delete prompt-line`, or the name of a hand-made one. */
  kind: string;
  scenario: string;
  label: AttributionLabel;
  component: ComponentKind;
  /** The mutated place, a patch path. */
  path: string;
  edits: readonly PatchEdit[];
  /** The broken harness. */
  harness: Harness;
}
