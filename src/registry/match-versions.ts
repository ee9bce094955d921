import { CoHarnessError } from '../base/errors.ts';
import { pairHash, type Version } from './version.ts';

/** Fewer digits of a pair hash would too often name several pairs. */
const LEAST_HASH_DIGITS = 6;

/**
 * What a reference names, at most one version a seed, in the order of the seeds: a number (`3`, `v3`) names one; a pair hash of ≥ 6 digits the oldest
 * of each seed; `champion` the newest accepted one of each. `@2` at its end keeps seed 2 alone. Empty where nothing matches. `versions` is the whole
 * registry in its order. Throws CoHarnessError `unknown-seed` that lists the known ones. Pure.
 */
export function matchVersions(reference: string, versions: readonly Version[]): Version[] {
  const { name, seed } = splitReference(reference);
  const bySeed = Map.groupBy(versions, (version) => version.seed);
  if (seed !== null && !bySeed.has(Number(seed))) {
    const known = [...bySeed.keys()].join(', ') || 'none';
    throw new CoHarnessError('unknown-seed', `${reference}: this run has no seed ${seed || '""'}. Known: ${known}.`, {
      details: { reference },
    });
  }
  const named = isNamedBy(name);
  return [...bySeed]
    .filter(([own]) => seed === null || own === Number(seed))
    .flatMap(([, own]) => (name === 'champion' ? championOf(own) : own.find(named)) ?? []);
}

/** The newest accepted one. */
export function championOf(versions: readonly Version[]): Version | undefined {
  return versions.findLast(({ accepted }) => accepted);
}

function splitReference(reference: string): { name: string; seed: string | null } {
  const at = reference.lastIndexOf('@');
  if (at < 0) return { name: reference, seed: null };
  return { name: reference.slice(0, at), seed: reference.slice(at + 1) };
}

function isNamedBy(name: string): (version: Version) => boolean {
  const number = name.replace(/^v/, '');
  return ({ version, pair }) =>
    `${version}` === number || (name.length >= LEAST_HASH_DIGITS && pairHash(pair).startsWith(name));
}
