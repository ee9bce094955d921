import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ContentHash } from './content-hash.ts';

/** SHA-256 of a file's bytes, streamed. Rejects with the error of the file system where it cannot be read. */
export async function fileHash(path: string): Promise<ContentHash> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex') as ContentHash;
}
