import type { Harness } from '../../harness/harness.ts';
import { present, valueEdit } from '../harness-edits.ts';
import type { PatchDraft, PatchOperator } from '../patch-operator.ts';

interface RoomierLimit {
  what: string;
  /** Of memory.yaml. */
  pointer: string;
  /** The least change first. */
  values: (number | null)[];
}

/** By mechanism, the limit that was too tight. */
const ROOMIER: ReadonlyMap<string, (harness: Harness) => RoomierLimit> = new Map([
  [
    'facts-left-out',
    ({ memory }) => ({
      what: 'tokens of facts',
      pointer: '/facts/tokens',
      values: [memory.facts.tokens * 2, memory.facts.tokens * 8],
    }),
  ],
  [
    'results-shortened',
    ({ memory }) => ({
      what: 'turns before results are stale',
      pointer: '/staleAfterTurns',
      values: memory.staleAfterTurns === null ? [] : [memory.staleAfterTurns * 2, null],
    }),
  ],
]);

/** Gives memory more room where what it left out or shortened is missed. */
export const memoryLimit: PatchOperator = {
  name: 'memory-limit',
  reach: (cluster) => (cluster !== null && ROOMIER.has(cluster.mechanism) ? 0.7 : 0),
  propose: ({ harness, clusters }) =>
    [...new Set(clusters.map(({ mechanism }) => mechanism))].flatMap((mechanism): PatchDraft[] => {
      const limit = ROOMIER.get(mechanism)?.(harness);
      if (limit === undefined) return [];
      return limit.values.map((value, rank) => ({
        title: `${limit.what}: ${value ?? 'no limit'}`,
        edits: present([valueEdit(harness, 'memory.yaml', limit.pointer, value)]),
        component: 'memory',
        probe: { kind: 'setting-changed' },
        promise: 1 - rank * 0.2,
      }));
    }),
};
