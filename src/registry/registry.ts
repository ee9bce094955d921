import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../../bin/file-lock.mjs';
import { type ContentHash, contentHash, shortHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import type { Journal } from '../base/journal.ts';
import type { Harness } from '../harness/harness.ts';
import { readUnchanged, writeHarness } from '../harness/harness-folder.ts';
import { championOf, matchVersions } from './match-versions.ts';
import { movesChampion, pairHash, type Version } from './version.ts';

const KIND = 'version';

/**
 * Every pair that was ever proposed in one run folder, accepted or not, in the order of the decisions. Entries live in the journal, harnesses as
 * folders under `registry/<hash>`. Only an accepted entry moves the champion; a rollback is a new entry.
 */
export interface Registry {
  /** Oldest first. */
  versions(): Promise<Version[]>;
  /** The newest accepted version of one seed. Throws CoHarnessError `no-champion` before the seed pair is recorded. */
  champion(seed: number): Promise<Version>;
  /** Stores the harness, then the entry. `stepKey` names the deciding step: recording it twice returns the first entry. */
  record(stepKey: ContentHash, entry: Omit<Version, 'version' | 'accepted'>, harness: Harness): Promise<Version>;
  harness(hash: ContentHash): Promise<Harness>;
  /**
   * A version by number, pair-hash prefix (≥ 6 digits) or the word `champion`, with `@SEED` behind it that of one seed; without, the first seed's.
   * Throws `unknown-version` or `unknown-seed` with the known ones, `no-champion` before anything is recorded.
   */
  find(reference: string): Promise<Version>;
}

export function openRegistry(folder: string, journal: Journal): Registry {
  const versions = async () => (await journal.entries(KIND)).map((entry) => entry.value as Version);
  const champion = async (seed: number) => {
    const accepted = championOf((await versions()).filter((version) => version.seed === seed));
    if (accepted === undefined) throw noChampion(`No pair was recorded for seed ${seed} yet.`);
    return accepted;
  };
  return {
    versions,
    champion,
    record: async (stepKey, entry, harness) => {
      const key = contentHash({ step: 'version', stepKey });
      const stored = await journal.get(key);
      if (stored !== undefined) return stored as Version;
      // A rollback by hand beside a run is another process: both would count the same versions.
      return withFileLock(join(folder, 'version.lock'), async () => {
        await storeHarness(folder, harness);
        const version: Version = { ...entry, version: (await versions()).length, accepted: movesChampion(entry) };
        await journal.put({ key, kind: KIND, value: version });
        return version;
      });
    },
    harness: (hash) => readUnchanged(harnessFolder(folder, hash), hash),
    find: async (reference) => {
      const all = await versions();
      if (all.length === 0) throw noChampion('No pair was recorded yet.');
      const [found] = matchVersions(reference, all);
      if (found !== undefined) return found;
      const known = all.map((version) => `v${version.version} (${shortHash(pairHash(version.pair))})`).join(', ');
      throw new CoHarnessError(
        'unknown-version',
        `There is no version ${reference} in this run. Known: ${known || 'none'}, or the word champion.`,
        { details: { reference } },
      );
    },
  };
}

function noChampion(what: string): CoHarnessError {
  return new CoHarnessError('no-champion', `${what} Start it with: npx co-harness run`);
}

function harnessFolder(folder: string, hash: ContentHash): string {
  return join(folder, hash);
}

/** A folder that is there stays as it is, also where somebody changed it: `check` tells of that. */
async function storeHarness(folder: string, harness: Harness): Promise<void> {
  const target = harnessFolder(folder, harness.hash);
  if (!existsSync(target)) await writeHarness(target, harness);
}
