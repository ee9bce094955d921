import { DEVELOPMENT_BREAKS } from './development/development-breaks.ts';
import { DEVELOPMENT_KINDS } from './development/development-kinds.ts';
import { HELD_OUT_BREAKS } from './held-out/held-out-breaks.ts';
import { HELD_OUT_KINDS } from './held-out/held-out-kinds.ts';
import type { FaultCatalogue } from './mutation/all-mutations.ts';

export type FaultSplit = 'development' | 'heldOut';

export const FAULT_CATALOGUES: Readonly<Record<FaultSplit, FaultCatalogue>> = {
  development: { kinds: DEVELOPMENT_KINDS, handMade: DEVELOPMENT_BREAKS },
  heldOut: { kinds: HELD_OUT_KINDS, handMade: HELD_OUT_BREAKS },
};

/** Names of all kinds of a split, generic ones first. */
export function kindNames(split: FaultSplit): string[] {
  const { generic, handMade } = FAULT_CATALOGUES[split].kinds;
  return [...generic.map(({ operator, field }) => `${operator} ${field}`), ...handMade.map(({ name }) => name)];
}
