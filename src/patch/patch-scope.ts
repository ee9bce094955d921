import { componentOfPath, splitPatchPath } from '../harness/component-of-path.ts';
import type { ComponentKind } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

/** What a diff declares to change: kinds of component, and `code` for anything that runs (files that are neither YAML nor Markdown). */
export type PatchScope = readonly (ComponentKind | 'code')[];

/** What edits touch. Places that no file of φ may have are in no scope. */
export function scopeOf(edits: readonly PatchEdit[]): PatchScope {
  return [...new Set(edits.flatMap(({ path }) => kindsOf(path)))];
}

/** The first edit outside `scope`, with what it would have to declare; null when all are inside. */
export function outsideScope(edits: readonly PatchEdit[], scope: PatchScope): { path: string; kind: string } | null {
  for (const { path } of edits) {
    const missing = kindsOf(path).find((kind) => !scope.includes(kind));
    if (missing !== undefined) return { path, kind: missing };
  }
  return null;
}

function kindsOf(path: string): PatchScope {
  const place = componentOfPath(path);
  if (place === null) return [];
  return /\.(yaml|md)$/.test(splitPatchPath(path).file) ? [place.kind] : [place.kind, 'code'];
}
