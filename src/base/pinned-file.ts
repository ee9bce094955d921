import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from './atomic-file.ts';
import type { ContentHash } from './content-hash.ts';
import type { CoHarnessError } from './errors.ts';
import { fileHash } from './file-hash.ts';
import { parseJson, readTextFile } from './json.ts';

const pinSchema = z.strictObject({
  version: z.literal(1),
  source: z.string(),
  file: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

export interface PinnedFile {
  /** Absolute path. */
  path: string;
  /** SHA-256 of its bytes. */
  hash: ContentHash;
}

export interface PinnedFolder {
  /** Absolute; holds one folder a name, with one file and `pins.json`, the hash of its first download. */
  folder: string;
  /** Throws where a file is not complete or not what is wanted. */
  check?: (path: string) => void;
  /** The error for a file with another hash; `origin` says where the expected one comes from. */
  mismatch: (path: string, expected: string, actual: string, origin: string) => CoHarnessError;
}

/**
 * The file of `name`, checked against its pin; made where it is not (or not completely) there.
 *
 * It is made in a folder of its own, checked there, then moved into place: two processes that fetch the same thing at once do the work twice
 * and never see each other's half. A pin that is left from before stays valid. `make` returns the file's name in the folder it is given, any but `pins.json`;
 * `known`: the hash that it must have, with `origin`, where that hash comes from. Throws what `check`, `mismatch` and `make` give; nothing half-done stays.
 */
export async function pinnedFile(
  pinned: PinnedFolder,
  name: string,
  make: (folder: string) => Promise<string>,
  known?: { hash: string; origin: string },
): Promise<PinnedFile> {
  return (await findPinned(pinned, name)) ?? (await keepPinned(pinned, name, make, known));
}

async function findPinned(pinned: PinnedFolder, name: string): Promise<PinnedFile | undefined> {
  const pin = await readPin(pinned, name);
  if (pin === undefined) return undefined;
  const path = join(folderOf(pinned, name), pin.file);
  if (!existsSync(path)) return undefined;
  pinned.check?.(path);
  const hash = await fileHash(path);
  if (hash !== pin.hash) throw pinned.mismatch(path, pin.hash, hash, pinOrigin(pinned, name));
  return { path, hash };
}

async function keepPinned(
  pinned: PinnedFolder,
  name: string,
  make: (folder: string) => Promise<string>,
  known: { hash: string; origin: string } | undefined,
): Promise<PinnedFile> {
  const folder = folderOf(pinned, name);
  await mkdir(pinned.folder, { recursive: true });
  const workFolder = await mkdtemp(join(pinned.folder, '.partial-'));
  try {
    const file = await make(workFolder);
    const made = join(workFolder, file);
    pinned.check?.(made);
    const hash = await fileHash(made);
    if (known !== undefined && hash !== known.hash) throw pinned.mismatch(name, known.hash, hash, known.origin);
    const pin = await readPin(pinned, name);
    if (pin !== undefined && pin.hash !== hash) throw pinned.mismatch(name, pin.hash, hash, pinOrigin(pinned, name));
    await mkdir(folder, { recursive: true });
    await rename(made, join(folder, file));
    const written = JSON.stringify({ version: 1, source: name, file, hash }, null, 2);
    await writeAtomically(join(folder, 'pins.json'), `${written}\n`);
    return { path: join(folder, file), hash };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

function folderOf({ folder }: PinnedFolder, name: string): string {
  return join(folder, name.replace(/[^\w.@-]+/g, '_'));
}

function pinOrigin(pinned: PinnedFolder, name: string): string {
  return `the pin of the first download (${join(folderOf(pinned, name), 'pins.json')})`;
}

async function readPin(pinned: PinnedFolder, name: string): Promise<z.output<typeof pinSchema> | undefined> {
  const file = join(folderOf(pinned, name), 'pins.json');
  return existsSync(file) ? parseJson(pinSchema, await readTextFile(file), { file }) : undefined;
}
