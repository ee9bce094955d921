import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ContentHash, contentHash, shortHash } from '../../base/content-hash.ts';
import { downloadFile } from '../../base/download-file.ts';
import { CoHarnessError } from '../../base/errors.ts';
import { fileHash } from '../../base/file-hash.ts';
import { type PinnedFolder, pinnedFile } from '../../base/pinned-file.ts';
import type { FoundSplit } from './published-set.ts';

export interface PublishedFile {
  /** Absolute path. */
  path: string;
  /** SHA-256 of its bytes. */
  hash: ContentHash;
  /** The address it came from, or the path that was given. */
  source: string;
}

export interface FetchOptions {
  /** The user's cache; data sets go to `data/` in it. */
  cacheFolder: string;
  /** A file on this disk, or the address of a mirror, in the place of the public address. */
  from?: string;
  /** SHA-256 that the file must have. */
  expectedHash?: string;
  log: (line: string) => void;
  signal?: AbortSignal;
}

/** In the cache, whatever the address says. */
const KEPT_AS = 'published-file';
/** The largest set known here has 10 MB; all of it is read into memory. */
const MOST_BYTES = 200e6;

/**
 * The published file, from the cache where it was fetched before; held to the hash of its first download every time. A local file is
 * read where it lies and not kept.
 *
 * Throws CoHarnessError `file-missing`, `invalid-usage`, `data-hash-mismatch`, `data-download-failed`; AbortedError when `signal` fires. Nothing half-done stays.
 */
export async function fetchPublishedFile(found: FoundSplit, options: FetchOptions): Promise<PublishedFile> {
  const { from = found.url, expectedHash } = options;
  const file = isAddress(from) ? await download(found, from, options) : await onDisk(from);
  if (expectedHash !== undefined && file.hash !== expectedHash.toLowerCase()) {
    throw mismatch(file.path, expectedHash, file.hash, 'the hash that was asked for');
  }
  return file;
}

function isAddress(from: string): boolean {
  if (/^[a-z]+:\/\//i.test(from) && !(/^https?:/.test(from) && URL.canParse(from))) {
    throw new CoHarnessError(
      'invalid-usage',
      `"${from}" is no address of a file. Expected http://… or https://…, or the path of a file.`,
      { details: { from } },
    );
  }
  return /^https?:\/\//.test(from);
}

async function onDisk(from: string): Promise<PublishedFile> {
  const path = resolve(from);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new CoHarnessError('file-missing', `There is no file ${path}. Check the path given to --from.`, {
      details: { file: path },
    });
  }
  return { path, hash: await fileHash(path), source: path };
}

async function download(found: FoundSplit, url: string, options: FetchOptions): Promise<PublishedFile> {
  const { cacheFolder, log, signal } = options;
  const data: PinnedFolder = { folder: join(cacheFolder, 'data'), mismatch };
  // The address is part of the name: another mirror has a pin of its own.
  const name = `${found.name}-${found.split}@${shortHash(contentHash(url))}`;
  const make = async (folder: string) => {
    log(`Downloading ${found.name} (${found.split}) from ${url} …`);
    await downloadFile({
      url,
      file: join(folder, KEPT_AS),
      log,
      mostBytes: MOST_BYTES,
      ...(signal ? { signal } : {}),
      failed: ({ problem, cause }) => downloadError(found, url, problem, cause),
    });
    return KEPT_AS;
  };
  return { ...(await pinnedFile(data, name, make)), source: url };
}

function downloadError(found: FoundSplit, url: string, problem: string, cause: unknown): CoHarnessError {
  return new CoHarnessError(
    'data-download-failed',
    `Cannot download ${found.name} (${found.split}) from ${url}: ${problem}. Check the network; or get that file elsewhere and name it with --from FILE, or ` +
      'a mirror with --from URL.',
    { details: { name: found.name, split: found.split, url }, ...(cause === undefined ? {} : { cause }) },
  );
}

function mismatch(path: string, expected: string, actual: string, origin: string): CoHarnessError {
  return new CoHarnessError(
    'data-hash-mismatch',
    `The data file ${path} has SHA-256 ${actual}, but ${origin} says ${expected}. It was changed or damaged, or another one was published under the ` +
      'same address: results on it cannot be compared with earlier ones. Restore the old file, or delete what names the old hash to accept the new one.',
    { details: { path, expected, actual } },
  );
}
