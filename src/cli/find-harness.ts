import { join } from 'node:path';
import type { Harness } from '../harness/harness.ts';
import { readHarness } from '../harness/harness-folder.ts';
import { listRuns, RUNS_FOLDER } from './run-folders.ts';

/** φ by hash: the given folder where it is that one, else any run here that holds it; null when none does. */
export async function findHarness(hash: string, folder?: string): Promise<Harness | null> {
  if (folder !== undefined) {
    const given = await readHarness(folder);
    if (given.hash === hash) return given;
  }
  for (const run of listRuns()) {
    const held = await readHarness(join(RUNS_FOLDER, run, 'registry', hash)).catch(() => null);
    if (held?.hash === hash) return held;
  }
  return null;
}
