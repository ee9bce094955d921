import { CoHarnessError } from '../base/errors.ts';
import { type GatePlan, type GatePlanRequest, planGate } from './plan-gate.ts';

/**
 * The plan that sees the smallest effect for the same rollouts, over repeats per task 1 … `mostRepeats` (default 8): with
 * groups to spare one repeat is best, a scarce gate split is worth repeating the more its tasks' outcomes vary. Throws
 * what planGate throws when no number of repeats allows a decision.
 */
export function tradeOffRepeats(
  request: Omit<GatePlanRequest, 'repeats'> & { budgetRollouts: number },
  mostRepeats = 8,
): GatePlan {
  let best: GatePlan | undefined;
  for (let repeats = 1; repeats <= mostRepeats; repeats++) {
    const plan = planned({ ...request, repeats });
    if (
      plan !== undefined &&
      (best === undefined || plan.minimumDetectableEffect < best.minimumDetectableEffect - 1e-3)
    )
      best = plan;
  }
  return best ?? planGate({ ...request, repeats: 1 });
}

function planned(request: GatePlanRequest): GatePlan | undefined {
  try {
    return planGate(request);
  } catch (error) {
    if (CoHarnessError.isInstance(error, 'too-few-groups')) return undefined;
    throw error;
  }
}
