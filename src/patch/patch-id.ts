import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { Patch } from './patch.ts';

/** Identity of a diff: what it edits, and in which φ. */
export function patchId({ base, edits }: Pick<Patch, 'base' | 'edits'>): ContentHash {
  return contentHash({ base, edits });
}
