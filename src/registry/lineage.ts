import { CoHarnessError } from '../base/errors.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { pairHash, type Version } from './version.ts';

/**
 * Accepted changes that a version is made of, oldest first: diffs of φ and weight updates, without what was rolled back since. `versions`: the
 * registry in its order; a process that goes on from a journal knows rollbacks by hand before entries that came earlier.
 */
export function lineageOf(version: Version, versions: readonly Version[]): Version[] {
  const parent = versionAt(versions, version.parent);
  if (version.kind === 'rollback') {
    if (version.rolledBack === undefined) {
      const goal = goalOf(version, versions);
      return goal === undefined ? [] : lineageOf(goal, versions);
    }
    const undone = new Set(version.rolledBack.undoes);
    return parent === undefined ? [] : lineageOf(parent, versions).filter((change) => !undone.has(change.version));
  }
  if (parent === undefined) return [];
  return [...lineageOf(parent, versions), version];
}

/** Changes that a rollback takes back, oldest first; none of any other entry. By hand: those of the champion it replaced that its goal lacks. */
export function undoneBy(version: Version, versions: readonly Version[]): Version[] {
  if (version.kind !== 'rollback') return [];
  if (version.rolledBack !== undefined)
    return version.rolledBack.undoes.flatMap((undone) => versionAt(versions, undone) ?? []);
  const replaced = versionAt(versions, version.parent);
  const kept = new Set(lineageOf(version, versions).map((change) => change.version));
  return replaced === undefined ? [] : lineageOf(replaced, versions).filter((change) => !kept.has(change.version));
}

/**
 * The version whose pair a version goes on from: its parent; of a rollback to an earlier pair that pair's own version, with nothing in between. Undefined of the
 * seed pair.
 */
export function predecessorOf(version: Version, versions: readonly Version[]): Version | undefined {
  const isReturn = version.kind === 'rollback' && version.rolledBack?.evidence.against !== 'without-diff';
  return (isReturn ? goalOf(version, versions) : undefined) ?? versionAt(versions, version.parent);
}

/** A rollback names its goal by the pair: the newest earlier entry of it that was accepted, or else was not. */
function goalOf(rollback: Version, versions: readonly Version[]): Version | undefined {
  const same = versions.filter(
    ({ version, seed, pair }) =>
      version < rollback.version && seed === rollback.seed && pairHash(pair) === pairHash(rollback.pair),
  );
  return same.findLast(({ accepted }) => accepted) ?? same.at(-1);
}

export function versionAt(versions: readonly Version[], number: number | null): Version | undefined {
  return number === null ? undefined : versions.find(({ version }) => version === number);
}

/** Whether `ancestor` is `version` or one of those it descends from by `parent`. */
export function descendsFrom(version: Version, ancestor: Version, versions: readonly Version[]): boolean {
  let current: Version | undefined = version;
  while (current !== undefined) {
    if (current.version === ancestor.version) return true;
    current = versionAt(versions, current.parent);
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
