import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CoHarnessError } from '../base/errors.ts';

/** Bytes an ordinary user may still write on the disk of `folder`, which need not exist yet. */
export function freeBytes(folder: string): number {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  const disk = statfsSync(existing);
  return disk.bavail * disk.bsize;
}

export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Throws CoHarnessError `disk-full` that says how much is free, how much is needed and how to choose another disk. */
export function requireFreeSpace(folder: string, neededBytes: number, purpose: string): void {
  const free = freeBytes(folder);
  if (free >= neededBytes) return;
  throw new CoHarnessError(
    'disk-full',
    `${purpose} needs ${gigabytes(neededBytes)} in ${folder}, but only ${gigabytes(free)} are free. Free some space, or set ` +
      'CO_HARNESS_CACHE to a folder on another disk.',
    { details: { folder, free, needed: neededBytes } },
  );
}
