import { CoHarnessError } from '../../base/errors.ts';
import { applyEdits } from '../../harness/apply-patch.ts';
import { componentOfPath } from '../../harness/component-of-path.ts';
import type { Harness } from '../../harness/harness.ts';
import type { PatchEdit } from '../../harness/patch-edit.ts';
import type { Cluster } from '../aggregate.ts';
import { relaxationsOf } from '../budget-changes.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';

/**
 * The repair that a diagnosis itself brings: a missing field back in its prompt, a schema as the calls need it, one of two contradictory sentences gone,
 * a limit that was hit. What it raises is declared as a relaxation.
 */
export const givenRepair: PatchOperator = {
  name: 'given-repair',
  reach: (cluster) => (cluster === null || cluster.repairs.length === 0 ? 0 : 0.9),
  propose: ({ harness, clusters }) =>
    clusters
      .filter(({ label }) => label !== 'agent_error')
      .flatMap((cluster, rank) => cluster.repairs.flatMap((edits) => draftOf(harness, cluster, edits, rank) ?? [])),
};

function draftOf(
  harness: Harness,
  { mechanism }: Cluster,
  repair: readonly PatchEdit[],
  rank: number,
): PatchDraft | null {
  const edits = repair.map((edit) => asStanding(harness, edit));
  const child = childOf(harness, edits);
  const [first] = edits;
  const kind = first === undefined ? undefined : componentOfPath(first.path)?.kind;
  if (child === null || first === undefined || kind === undefined || child.hash === harness.hash) return null;
  const isShown = kind === 'prompt' || kind === 'example' || kind === 'tool' || kind === 'skill';
  return {
    title: `repair what the evidence names (${mechanism}): ${first.path}`,
    edits,
    component: kind,
    probe: { kind: isShown ? 'prompt-changed' : 'setting-changed' },
    promise: 1 / (1 + rank / 2),
    relaxes: relaxationsOf(harness, child),
  };
}

/** A whole file that φ leaves to its default is added, not changed. */
function asStanding(harness: Harness, edit: PatchEdit): PatchEdit {
  const [file = '', pointer] = edit.path.split('#');
  if (harness.files.has(file) || pointer !== undefined) return edit;
  const { old: _old, ...added } = edit;
  return added;
}

/** Null for a repair that no longer fits this harness: it was made for another version, or by a reader that misread it. */
function childOf(harness: Harness, edits: readonly PatchEdit[]): Harness | null {
  try {
    return applyEdits(harness, edits);
  } catch (error) {
    if (!CoHarnessError.isInstance(error) || error.code === 'invariant') throw error;
    return null;
  }
}
