import { join } from 'node:path';
import type { Journal } from '../../base/journal.ts';
import { executeRun, type RunOptions } from '../../evolution/start-run.ts';
import type { Harness } from '../../harness/harness.ts';
import { openRegistry } from '../../registry/registry.ts';
import type { Version } from '../../registry/version.ts';

export interface Mended {
  /** φ of the last accepted diff; the given one where none was accepted. */
  harness: Harness;
  /** Titles and verdicts of the accepted diffs, in order. */
  accepted: string[];
}

/** Lets a run loose on a broken harness (`prepared.harness`); the journal stays open. Rejects as the run does. */
export async function mend(run: RunOptions & { journal: Journal }): Promise<Mended> {
  const { journal, folder, prepared } = run;
  await executeRun({ ...run, journal: { ...journal, close: async () => {} } });
  const versions = (await journal.entries('version')).map(({ value }) => value as Version);
  const accepted = versions.filter((version) => version.accepted && version.kind === 'harness');
  const last = accepted.at(-1)?.pair.harness;
  return {
    harness:
      last === undefined ? prepared.harness : await openRegistry(join(folder, 'registry'), journal).harness(last),
    accepted: accepted.map(({ verdict, patch }) => `${patch?.title} (${verdict})`),
  };
}
