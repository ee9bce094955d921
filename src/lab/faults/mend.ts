import { join } from 'node:path';
import type { Journal } from '../../base/journal.ts';
import { executeRun, type RunOptions } from '../../evolution/start-run.ts';
import type { Harness } from '../../harness/harness.ts';
import { openRegistry } from '../../registry/registry.ts';
import { versionTitle } from '../../registry/version-title.ts';

export interface Mended {
  /** φ of the run's champion; the given one where nothing was accepted. */
  harness: Harness;
  /** Titles and verdicts of what was accepted, in order: diffs, and rollbacks of them. */
  accepted: string[];
}

/** Lets a run loose on a broken harness (`prepared.harness`). Rejects as the run does. */
export async function mend(run: RunOptions & { journal: Journal }): Promise<Mended> {
  const { journal, folder } = run;
  await executeRun(run);
  const registry = openRegistry(join(folder, 'registry'), journal);
  const accepted = (await registry.versions()).filter((version) => version.accepted && version.kind !== 'seed');
  return {
    harness: await registry.harness((await registry.champion(1)).pair.harness),
    accepted: accepted.map((version) => `${versionTitle(version)} (${version.verdict})`),
  };
}
