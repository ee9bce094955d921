import type { Patch } from './patch.ts';
import type { ProposalContext } from './patch-operator.ts';

/** Writes at most `count` diffs of φ, best first. What it returns is checked before anything is paid for it. */
export type Proposer = (
  context: ProposalContext,
  options: { count: number },
) => readonly Patch[] | Promise<readonly Patch[]>;
