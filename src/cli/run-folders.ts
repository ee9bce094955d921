import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CoHarnessError } from '../base/errors.ts';
import type { Journal } from '../base/journal.ts';
import { openSqliteJournal } from '../base/sqlite-journal.ts';
import { isRunFolder } from '../evolution/start-run.ts';

/** Where run folders live, relative to the current folder. */
export const RUNS_FOLDER = 'runs';

/** Names of the runs in `runs/`, the most recently changed first. */
export function listRuns(): string[] {
  let names: string[];
  try {
    names = readdirSync(RUNS_FOLDER);
  } catch {
    return [];
  }
  const changedAt = (name: string) =>
    Math.max(
      ...['run.sqlite', 'run.sqlite-wal'].map(
        (file) => statSync(join(RUNS_FOLDER, name, file), { throwIfNoEntry: false })?.mtimeMs ?? 0,
      ),
    );
  return names.filter((name) => isRunFolder(join(RUNS_FOLDER, name))).sort((a, b) => changedAt(b) - changedAt(a));
}

/** A run by name or folder; without one the newest. Throws CoHarnessError `unknown-run` that lists the known ones. */
export function findRun(reference: string | undefined): { name: string; folder: string } {
  const runs = listRuns();
  if (reference === undefined) {
    const newest = runs[0];
    if (newest === undefined) {
      throw new CoHarnessError(
        'unknown-run',
        `There is no run in ${RUNS_FOLDER}/. Start one with: npx co-harness run FOLDER`,
      );
    }
    return { name: newest, folder: join(RUNS_FOLDER, newest) };
  }
  for (const folder of [join(RUNS_FOLDER, reference), resolve(reference)]) {
    if (isRunFolder(folder)) return { name: folder.split('/').at(-1) ?? reference, folder };
  }
  throw new CoHarnessError('unknown-run', `There is no run ${reference}. Known: ${runs.join(', ') || 'none'}.`, {
    details: { reference },
  });
}

/** Opens a run's journal for reading, and closes it whatever `read` does. */
export async function withJournal<T>(
  folder: string,
  read: (journal: Journal) => Promise<T>,
  readOnly = true,
): Promise<T> {
  const journal = openSqliteJournal(join(folder, 'run.sqlite'), { readOnly });
  try {
    return await read(journal);
  } finally {
    await journal.close();
  }
}
