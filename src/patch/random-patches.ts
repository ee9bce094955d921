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
    context.random.shuffled(proposePatches(blind, { count: POOL, operators: [unconditional(operator, blind)] })),
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

/** An operator that applies whenever it could under any cause: it may have nothing to change, never no reason. */
function unconditional(operator: PatchOperator, { harness }: ProposalContext): PatchOperator {
  const canAct =
    operator.reach(null, harness) > 0 ||
    MECHANISMS.some((mechanism) => operator.reach(causeOf(mechanism), harness) > 0);
  return { ...operator, reach: () => (canAct ? 1 : 0) };
}

const MECHANISMS = [
  'no-call',
  'call-unreadable',
  'no-answer',
  'missing-argument',
  'tool-failed',
  'cut-by-length',
  'turn-limit-on-call',
  'history-trimmed',
  'identical-repeat',
  'void-turn',
  'answer-not-tool-value',
  'misnamed-argument',
  'hook-hid-result',
  'facts-left-out',
  'results-shortened',
];

function causeOf(mechanism: string) {
  return {
    label: 'prompt_ambiguity' as const,
    component: null,
    path: null,
    mechanism,
    explanation: '',
    count: 1,
    recurrence: 1,
    severity: 1,
    confidence: 1,
    agreement: 1,
    weight: 1,
    rollouts: [],
  };
}
