import { CoHarnessError } from '../base/errors.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

/** φ after edits; null where they do not fit it or make no harness. Why that is, the checks say that every diff passes. */
export function editedHarness(harness: Harness, edits: readonly PatchEdit[]): Harness | null {
  try {
    return applyEdits(harness, edits);
  } catch (error) {
    if (CoHarnessError.isInstance(error) && error.code !== 'invariant') return null;
    throw error;
  }
}
