import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { writeAtomically } from '../base/atomic-file.ts';
import { type ContentHash, shortHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import type { Harness } from './harness.ts';
import { harnessFromFiles } from './parse-harness.ts';

/**
 * φ from its folder. Hidden files are left out. Throws CoHarnessError `file-missing` when the folder cannot be read, and `invalid-harness`
 * with the folder and the file when a file is not right.
 */
export async function readHarness(folder: string): Promise<Harness> {
  const files = new Map<string, string>();
  for (const file of await filesBelow(folder)) {
    files.set(relative(folder, file).split(sep).join('/'), await readFile(file, 'utf8'));
  }
  try {
    return harnessFromFiles(files);
  } catch (error) {
    if (!CoHarnessError.isInstance(error, 'invalid-harness')) throw error;
    throw new CoHarnessError('invalid-harness', `Harness folder ${folder}: ${error.message}`, {
      details: { ...error.details, folder },
      cause: error,
    });
  }
}

/**
 * Writes φ so that `folder` holds either what it held or all of φ: into a new folder beside it, then renamed. A folder that holds the same
 * files already is left alone.
 */
export async function writeHarness(folder: string, harness: Harness): Promise<void> {
  const held = await readHarness(folder).catch(() => null);
  if (held?.hash === harness.hash) return;
  const fresh = join(dirname(folder), `.${harness.hash.slice(0, 12)}.${process.pid}.partial`);
  const old = `${fresh}.old`;
  try {
    await rm(fresh, { recursive: true, force: true });
    for (const [file, text] of harness.files) await writeAtomically(join(fresh, ...file.split('/')), text);
    const hadOld = await rename(folder, old).then(
      () => true,
      () => false,
    );
    try {
      await rename(fresh, folder);
    } catch (error) {
      if (hadOld) await rename(old, folder);
      throw error;
    }
    await rm(old, { recursive: true, force: true });
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter(
        (file) =>
          !relative(folder, file)
            .split(sep)
            .some((part) => part.startsWith('.')),
      )
      .sort();
  } catch (cause) {
    throw new CoHarnessError('file-missing', `Cannot read the harness folder ${folder}: ${(cause as Error).message}`, {
      details: { folder },
      cause,
    });
  }
}

/** As {@link readHarness}. Throws CoHarnessError `harness-changed` where the folder holds another φ than `hash`: no result is recorded under the name of another. */
export async function readUnchanged(folder: string, hash: ContentHash): Promise<Harness> {
  const harness = await readHarness(folder);
  if (harness.hash === hash) return harness;
  throw new CoHarnessError(
    'harness-changed',
    `${folder} was changed since it was written: it holds harness ${shortHash(harness.hash)}, not ${shortHash(hash)}. Restore it from a copy, or use another version.`,
    { details: { folder, expected: hash, actual: harness.hash } },
  );
}
