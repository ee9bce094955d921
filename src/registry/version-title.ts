import type { Version } from './version.ts';

/** What a version is, in some words: the diff's title, `new weights`, or why the pair is there at all (start, rollback). */
export function versionTitle({ patch, kind, explanation }: Version): string {
  if (patch !== null) return patch.title;
  return kind === 'weights' ? 'new weights' : explanation;
}
