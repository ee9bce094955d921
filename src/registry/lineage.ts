import { CoHarnessError } from '../base/errors.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { pairHash, type Version } from './version.ts';

/**
 * Accepted changes that a version is made of, oldest first: diffs of φ and weight updates, without what was rolled back since. `versions` is the
 * whole registry in its order.
 */
export function lineageOf(version: Version, versions: readonly Version[]): Version[] {
  const parent = version.parent === null ? undefined : versions[version.parent];
  if (version.kind === 'rollback') {
    if (version.rolledBack === undefined) return lineageOfSamePair(version, versions);
    const undone = new Set(version.rolledBack.undoes);
    return parent === undefined ? [] : lineageOf(parent, versions).filter((change) => !undone.has(change.version));
  }
  if (parent === undefined) return [];
  return [...lineageOf(parent, versions), version];
}

/** A rollback that a person asked for names its goal by the pair. */
function lineageOfSamePair(version: Version, versions: readonly Version[]): Version[] {
  const goal = versions
    .slice(0, version.version)
    .findLast((earlier) => earlier.kind !== 'rollback' && pairHash(earlier.pair) === pairHash(version.pair));
  return goal === undefined ? [] : lineageOf(goal, versions);
}

/** Whether `ancestor` is `version` or one of those it descends from by `parent`. */
export function descendsFrom(version: Version, ancestor: Version, versions: readonly Version[]): boolean {
  let current: Version | undefined = version;
  while (current !== undefined) {
    if (current.version === ancestor.version) return true;
    current = current.parent === null ? undefined : versions[current.parent];
  }
  return false;
}

export interface ReplayedHarness {
  harness: Harness;
  /** Versions whose diff is not in it: those left out on purpose, and those that only apply on top of them. */
  missing: number[];
}

/** φ rebuilt from `seed` by the diffs of a lineage in their order, without those in `leaveOut`. Pure. */
export function replayDiffs(
  seed: Harness,
  lineage: readonly Version[],
  leaveOut: ReadonlySet<number>,
): ReplayedHarness {
  let harness = seed;
  const missing: number[] = [];
  for (const { version, patch } of lineage) {
    if (patch === null) continue;
    if (leaveOut.has(version)) {
      missing.push(version);
      continue;
    }
    try {
      harness = applyEdits(harness, patch.edits);
    } catch (error) {
      if (!CoHarnessError.isInstance(error) || error.code === 'invariant') throw error;
      missing.push(version);
    }
  }
  return { harness, missing };
}
