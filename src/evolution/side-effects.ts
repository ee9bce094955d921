import type { GateDecision } from '../gate/decision.ts';
import type { Patch } from '../patch/patch.ts';
import type { PredictedEffect, Version } from '../registry/version.ts';

/** What a diff was expected to break and to cost, beside what its gate saw of both. */
export function sideEffectsOf(patch: Patch, decision: GateDecision): NonNullable<Version['sideEffects']> {
  return {
    regression: besides(patch.predictedRegression, lostShare(decision)),
    cost: besides(patch.predictedCost, dearer(decision)),
  };
}

function besides(predicted: number | null | undefined, observed: number | null): PredictedEffect | null {
  return predicted === null || predicted === undefined ? null : { predicted, observed };
}

/** Of the score outside the target, the share that the child lost on balance; null where the parent had none to lose. */
function lostShare({ heldOut, whole }: GateDecision): number | null {
  const { parent, child } = heldOut ?? whole;
  return parent > 0 ? Math.max(0, (parent - child) / parent) : null;
}

function dearer({ tokens: { parent, child } }: GateDecision): number | null {
  return parent === 0 ? null : child / parent - 1;
}
