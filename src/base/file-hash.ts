import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ContentHash } from './content-hash.ts';

/** SHA-256 of a file's bytes, streamed. Rejects with the error of the file system where it cannot be read. */
export async function fileHash(path: string): Promise<ContentHash> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex') as ContentHash;
}

/** The same of a small file, at once; null where `path` is no file that can be read. */
export function fileHashOrNull(path: string): ContentHash | null {
  try {
    if (!statSync(path).isFile()) return null;
    return createHash('sha256').update(readFileSync(path)).digest('hex') as ContentHash;
  } catch {
    return null;
  }
}
