import type { Patch } from './patch.ts';
import type { PatchOperator, ProposalContext } from './patch-operator.ts';
import { PATCH_OPERATORS } from './patch-operators.ts';
import { proposePatches } from './propose.ts';

const POOL = 10_000;

/**
 * Control arm: `count` diffs drawn evenly over operators from everything they can write, blind to failures (no cluster is read, no
 * target is set). What a critic adds is the difference to this at equal budget.
 */
export function randomPatches(
  context: ProposalContext,
  { count, operators = PATCH_OPERATORS }: { count: number; operators?: readonly PatchOperator[] },
): Patch[] {
  const blind: ProposalContext = { ...context, clusters: [], history: [] };
  const byOperator = operators.map((operator) =>
    context.random.shuffled(proposePatches(blind, { count: POOL, operators: [unconditional(operator)] })),
  );
  const chosen: Patch[] = [];
  const stacks = byOperator.filter((patches) => patches.length > 0);
  while (chosen.length < count && stacks.length > 0) {
    const index = context.random.below(stacks.length);
    const patch = stacks[index]?.pop();
    if (patch === undefined) stacks.splice(index, 1);
    else chosen.push(patch);
  }
  return chosen;
}

/** An operator that needs no reason: it may have nothing to change, but no list of causes leaves it out. */
function unconditional(operator: PatchOperator): PatchOperator {
  return { ...operator, reach: () => 1 };
}
