import { signedPoints } from '../base/share-text.ts';
import { meanTest } from '../statistics/mean-test.ts';
import { pairedPermutationTest } from '../statistics/paired-permutation-test.ts';
import { mean, variance } from '../statistics/summary.ts';
import type { GateRule } from './decision.ts';
import type { GateEvidenceSoFar } from './gate-evidence.ts';
import type { JudgeRequest } from './judge-request.ts';
import { HELD_OUT_ALPHA, NOT_WORSE_ALPHA } from './plan-gate.ts';
import { accepted, type Conclusion, goalIsNotWorse, heldBack, notWorse } from './write-decision.ts';

/** One-sided p-value that the mean of group differences is ≤ `nullMean`. */
export function fixedSizeTest(
  rule: 'permutation' | 'mean',
  differences: readonly number[] | Float64Array,
  nullMean: number,
  seed: number,
  alpha: number,
): number {
  if (rule === 'mean') return meanTest(differences, nullMean);
  // Enough sampled patterns that a p-value at the error allowed rests on ≥ 20 of them.
  const samples = Math.max(10_000, Math.ceil(20 / alpha));
  return pairedPermutationTest(
    Float64Array.from(differences, (difference) => difference - nullMean),
    { seed, samples },
  );
}

/** The verdict of a rule that looks once, after the last batch. */
export function concludeFixed(request: JudgeRequest, evidence: GateEvidenceSoFar): Conclusion {
  if (request.rule === 'paper') return concludePaper(request, evidence);
  const rule = request.rule as Exclude<GateRule, 'betting' | 'paper'>;
  const { alpha, seed = 1 } = request;
  const margin = -evidence.sequence.notWorse.nullMean;
  const test = (values: readonly number[], nullMean: number, level: number) =>
    fixedSizeTest(rule, values, nullMean, seed, level);
  const whole = evidence.rows.map((row) => row.whole);
  const improvement = test(whole, 0, alpha);
  const found = `mean difference ${signedPoints(evidence.whole.mean)}, p = ${improvement.toPrecision(2)}, allowed ${alpha.toPrecision(2)}`;
  const conclusion = (): Conclusion => {
    if (improvement <= alpha) {
      const heldOut = evidence.rows.map((row) => (row.heldOutShare === 0 ? 0 : row.heldOut * row.heldOutShare));
      const inferior = isHeldOutInferior(request, evidence, test);
      const harmless = test(heldOut, -margin, HELD_OUT_ALPHA) <= HELD_OUT_ALPHA && !inferior;
      if (goalIsNotWorse(request) || (harmless && evidence.sequence.targetedHolds)) {
        return accepted(request, found, evidence);
      }
      return heldBack(request, evidence, inferior);
    }
    const level = Math.min(NOT_WORSE_ALPHA, alpha);
    if (goalIsNotWorse(request) && test(whole, -margin, level) <= level) return notWorse(request, evidence);
    if (evidence.allTied) {
      return {
        verdict: 'indecisive',
        reason: 'all-tied',
        explanation: 'Parent and child scored the same in all groups.',
      };
    }
    const unclear = evidence.whole.mean > 0 && upperBound(whole) >= request.plan.minimumDetectableEffect;
    return unclear
      ? { verdict: 'indecisive', reason: 'budget-exhausted', explanation: `Not decided within the budget: ${found}.` }
      : { verdict: 'reject', reason: 'no-improvement', explanation: `No improvement shown: ${found}.` };
  };
  return { ...conclusion(), pValue: improvement };
}

/** Held-out behaviour is shown to have lost, and seen to have lost more than the margin: by this rule's own test, which no order of groups changes. */
function isHeldOutInferior(
  { margin }: JudgeRequest,
  { rows }: GateEvidenceSoFar,
  test: (values: readonly number[], nullMean: number, level: number) => number,
): boolean {
  const losses = rows.flatMap((row) => (row.heldOutShare === 0 ? [] : [-row.heldOut]));
  const loss = mean(losses);
  return loss !== undefined && loss > margin && test(losses, 0, HELD_OUT_ALPHA) <= HELD_OUT_ALPHA;
}

/** Two standard errors above the mean. */
function upperBound(differences: readonly number[]): number {
  return (mean(differences) ?? 0) + 2 * Math.sqrt((variance(differences) ?? 0) / Math.max(1, differences.length));
}

/** `Δ_in > 0 and Δ_out ≥ 0` on point estimates, as the paper states it. */
function concludePaper(request: JudgeRequest, evidence: GateEvidenceSoFar): Conclusion {
  const inside = evidence.targeted?.mean ?? evidence.whole.mean;
  const outside = evidence.heldOut?.mean ?? evidence.whole.mean;
  const found = `Δ_in ${signedPoints(inside)}, Δ_out ${signedPoints(outside)}; this rule has no error control: it accepts a do-nothing diff about once in four`;
  if (inside > 0 && outside >= 0) return accepted(request, found, evidence);
  return {
    verdict: 'reject',
    reason: outside < 0 ? 'held-out-inferior' : 'no-improvement',
    explanation: `Refused: ${found}.`,
  };
}
