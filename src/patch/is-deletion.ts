import type { Patch } from './patch.ts';

/** Whether a diff only takes away: it then need not improve, only lose nothing. */
export function isDeletion({ edits }: Pick<Patch, 'edits'>): boolean {
  return edits.every((edit) => edit.value === undefined);
}
