import type { GateDecision } from '../gate/decision.ts';
import type { Patch } from '../patch/patch.ts';
import type { PredictedEffect, Version } from '../registry/version.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';

/** What a diff was expected to break and to cost, beside what its gate saw of both. */
export function sideEffectsOf(patch: Patch, decision: GateDecision): NonNullable<Version['sideEffects']> {
  return {
    regression: besides(patch.predictedRegression, lostShare(decision)),
    cost: besides(patch.predictedCost, dearer(decision)),
  };
}

/** Mean tokens, sent and generated, of the rollouts of both arms; undefined where one arm has none. */
export function tokensSpent(parents: readonly Trajectory[], children: readonly Trajectory[]): GateDecision['spent'] {
  if (parents.length === 0 || children.length === 0) return undefined;
  return { parent: meanTokens(parents), child: meanTokens(children) };
}

function meanTokens(trajectories: readonly Trajectory[]): number {
  const tokens = trajectories.reduce((sum, { usage }) => sum + usage.promptTokens + usage.completionTokens, 0);
  return tokens / trajectories.length;
}

function besides(predicted: number | null | undefined, observed: number | null): PredictedEffect | null {
  return predicted === null || predicted === undefined ? null : { predicted, observed };
}

/** Of the score outside the target, the share that the child lost on balance; null where the parent had none to lose. */
function lostShare({ heldOut, whole }: GateDecision): number | null {
  const { parent, child } = heldOut ?? whole;
  return parent > 0 ? Math.max(0, (parent - child) / parent) : null;
}

function dearer({ spent }: GateDecision): number | null {
  return spent === undefined || spent.parent === 0 ? null : spent.child / spent.parent - 1;
}
