import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

/**
 * Identity of what a list of edits does: order, white space at line ends, the places' old values and the names of example files do
 * not count. Two equivalent diffs have one hash, so that one refused before is recognised.
 */
export function editsHash(edits: readonly PatchEdit[]): ContentHash {
  const plain = edits.map(({ path, value }) => ({
    path: path.replace(/^examples\/[^/#]+\.yaml/, 'examples/*.yaml'),
    value: typeof value === 'string' ? value.replace(/[ \t]+$/gm, '').trim() : value,
  }));
  const keyed = plain.map((edit) => contentHash(edit)).sort();
  return contentHash(keyed);
}
