import { percent, points, signedPoints } from '../base/share-text.ts';
import { BettingEProcess } from '../statistics/betting-e-process.ts';
import type { GateDecision, GateReason, GateVerdict } from './decision.ts';
import { type GateEvidenceSoFar, INTERVAL_LEVEL } from './gate-evidence.ts';
import type { JudgeRequest } from './judge-request.ts';
import { HELD_OUT_ALPHA } from './plan-gate.ts';
import type { SequentialState } from './sequential-decision.ts';

/** A verdict before the numbers are attached. */
export interface Conclusion {
  verdict: GateVerdict;
  reason: GateReason;
  explanation: string;
  pValue?: number;
}

/**
 * Error allowed to "needs less", tokens and time together: only after "not worse" is shown, so it can turn a refusal into `faster` but no loss. Each of both has half;
 * where only the time of whole blocks speaks for a diff, that has all of it.
 */
const GAIN_ALPHA = 0.05;

/** The verdict of the betting rule, once its sequence has stopped or the batches have run out. */
export function concludeBetting(
  request: JudgeRequest,
  evidence: GateEvidenceSoFar,
  state: SequentialState,
): Conclusion {
  const { sequence } = evidence;
  const { whole } = evidence;
  if (state === 'improved') return accepted(request, 'shown by betting', evidence);
  if (state === 'not-worse') return notWorse(request, evidence);
  if (sequence.improvementShown) return heldBack(request, evidence);
  const found = `mean difference ${signedPoints(whole.mean)} (${signedPoints(whole.low)} to ${signedPoints(whole.high)}) on ${whole.groups} groups`;
  if (whole.high < 0) return { verdict: 'reject', reason: 'worse', explanation: `Worse than its parent: ${found}.` };
  if (evidence.allTied) {
    const explanation = `Parent and child scored the same in all ${whole.groups} groups: there is nothing to decide on.`;
    return { verdict: 'indecisive', reason: 'all-tied', explanation };
  }
  if (goalIsNotWorse(request)) {
    const explanation = `Could not be shown to lose less than ${signedPoints(sequence.notWorse.nullMean)}: ${found}.`;
    return {
      verdict: whole.mean < sequence.notWorse.nullMean ? 'reject' : 'indecisive',
      reason: 'not-shown-equal',
      explanation,
    };
  }
  const aim = request.plan.minimumDetectableEffect;
  if (state === 'futile' || whole.high < aim || whole.mean <= 0) {
    const explanation =
      state === 'futile'
        ? `Stopped early, the rest of the budget could not plausibly have shown an improvement: ${found}.`
        : `No improvement shown within the budget: ${found}.`;
    return { verdict: 'reject', reason: 'no-improvement', explanation };
  }
  const explanation = `The budget ended before the question was decided: ${found}; the plan saw effects from ${signedPoints(aim)}.`;
  return { verdict: 'indecisive', reason: 'budget-exhausted', explanation };
}

export function goalIsNotWorse({ kind }: JudgeRequest): boolean {
  return kind.relaxes.length === 0 && (kind.deletion || kind.speed);
}

/** Shown to improve: `better`, or `bought` when it may spend more. */
export function accepted(request: JudgeRequest, how: string, evidence: GateEvidenceSoFar): Conclusion {
  const { relaxes } = request.kind;
  const gain = signedPoints(evidence.whole.mean);
  const excluded = lossExcluded(request, evidence);
  if (relaxes.length > 0) {
    const explanation = `Improves by ${gain} (${how}), by spending more ${relaxes.join(' and ')}: booked with its price, not as quality.${excluded}`;
    return { verdict: 'bought', reason: 'improved-by-spending', explanation };
  }
  return { verdict: 'better', reason: 'improved', explanation: `Improves by ${gain} (${how}).${excluded}` };
}

/** The loss through held-out behaviour that its guard has excluded, where there was one to pass. */
function lossExcluded(request: JudgeRequest, { heldOut, sequence }: GateEvidenceSoFar): string {
  if (request.rule === 'paper' || goalIsNotWorse(request) || heldOut === null) return '';
  const tested = -sequence.notWorse.nullMean;
  const asked = tested > request.margin ? `; ${points(request.margin)} were asked for` : '';
  return ` Held-out behaviour costs the whole less than ${points(tested)} (${percent(1 - HELD_OUT_ALPHA)} certain${asked}).`;
}

/** Shown not worse by the margin: `faster` with a measured gain, else `simpler` for deletions, else nothing. */
export function notWorse({ kind, margin: asked }: JudgeRequest, evidence: GateEvidenceSoFar): Conclusion {
  const margin = signedPoints(asked);
  const gains = gainsShown(evidence);
  if (kind.speed && gains.length > 0) {
    const explanation = `Loses less than ${margin} and needs less ${gains.join(' and ')}${secondsSeen(evidence, gains)}.`;
    return { verdict: 'faster', reason: 'not-worse-and-faster', explanation };
  }
  if (kind.deletion) {
    const explanation = `Loses less than ${margin} (${signedPoints(evidence.whole.mean)} seen) and leaves less in the harness.`;
    return { verdict: 'simpler', reason: 'not-worse-and-smaller', explanation };
  }
  const explanation = `Loses less than ${margin}, but no gain in tokens or time was measured.`;
  return { verdict: 'reject', reason: 'no-gain', explanation };
}

function secondsSeen({ ledger: { seconds } }: GateEvidenceSoFar, gains: readonly string[]): string {
  if (seconds === null || !gains.includes('time')) return '';
  return `: ${seconds.child.toPrecision(3)} s a rollout instead of ${seconds.parent.toPrecision(3)} s`;
}

/**
 * Whether a saving that is shown not to be worse needs further blocks for its time: there are few of them, so that the scores are settled long before. Only while
 * the blocks so far speak for it.
 */
export function waitsForTime({ kind }: JudgeRequest, evidence: GateEvidenceSoFar): boolean {
  const { ledger } = evidence;
  if (!kind.speed || !ledger.isTimedInBlocks) return false;
  return ledger.timeGains.reduce((sum, gain) => sum + gain, 0) > 0 && gainsShown(evidence).length === 0;
}

/** Of tokens and time what is shown to be less; what is asked is fixed by how the rollouts were timed, before any is seen. */
function gainsShown({ rows, ledger }: GateEvidenceSoFar): string[] {
  if (ledger.isTimedInBlocks) return gainShown(ledger.timeGains, GAIN_ALPHA) ? ['time'] : [];
  const asked = { tokens: rows.map((row) => row.tokenGain), time: ledger.timeGains };
  return Object.entries(asked).flatMap(([name, gains]) => (gainShown(gains, GAIN_ALPHA / 2) ? [name] : []));
}

/** Blocks below which not even a child that takes half the time in every one is shown to need less. */
export const FEWEST_TIMED_BLOCKS = fewestShowing(0.5);

function fewestShowing(gain: number): number {
  const gains = [gain];
  while (!gainShown(gains, GAIN_ALPHA)) gains.push(gain);
  return gains.length;
}

function gainShown(gains: readonly number[], alpha: number): boolean {
  if (gains.length === 0 || gains.some(Number.isNaN)) return false;
  const process = new BettingEProcess(0);
  for (const gain of gains) process.add(gain);
  return process.capital >= 1 / alpha;
}

/** The whole improved, but a guard did not hold. */
export function heldBack(
  { margin }: JudgeRequest,
  evidence: GateEvidenceSoFar,
  heldOutInferior = evidence.sequence.heldOutInferior,
): Conclusion {
  const { targeted, heldOut, sequence } = evidence;
  if (!sequence.targetedHolds) {
    const explanation = `The whole improved, the targeted tasks did not (${signedPoints(targeted?.mean ?? 0)}): not what the diff claims.`;
    return { verdict: 'reject', reason: 'targeted-not-improved', explanation };
  }
  const seen = signedPoints(heldOut?.mean ?? 0);
  if (heldOutInferior) {
    const explanation = `Held-out behaviour lost (${seen}), by more than the margin of ${signedPoints(margin)}.`;
    return { verdict: 'reject', reason: 'held-out-inferior', explanation };
  }
  const tested = signedPoints(-sequence.notWorse.nullMean);
  const explanation = `The whole improved, but held-out behaviour (${seen}) was not shown to cost it less than ${tested}.`;
  return { verdict: 'indecisive', reason: 'held-out-unproven', explanation };
}

/** Attaches the numbers. Pure. */
export function writeDecision(
  request: JudgeRequest,
  evidence: GateEvidenceSoFar,
  conclusion: Conclusion,
): GateDecision {
  const { plan, rule } = request;
  const { ledger, sequence, whole } = evidence;
  const betting = rule === 'betting';
  const tokens = { parent: ledger.parentTokens / (ledger.pairs || 1), child: ledger.childTokens / (ledger.pairs || 1) };
  const spent = tokens.child - tokens.parent;
  return {
    verdict: conclusion.verdict,
    reason: conclusion.reason,
    explanation: conclusion.explanation,
    rule,
    whole,
    targeted: evidence.targeted,
    heldOut: evidence.heldOut,
    groups: evidence.rows.length,
    pairs: ledger.pairs,
    unscored: { parent: ledger.parentUnscored, child: ledger.childUnscored },
    rollouts: ledger.pairs * 2,
    tokens,
    seconds: ledger.seconds,
    tokensPerPoint: conclusion.verdict === 'bought' && spent > 0 ? spent / (whole.mean * 100) : null,
    evidence: {
      alpha: request.alpha,
      level: INTERVAL_LEVEL,
      eValue: betting ? sequence.improvement.peak : null,
      eValueNeeded: betting ? 1 / request.alpha : null,
      pValue: conclusion.pValue ?? null,
      notWorseEValue: betting ? sequence.notWorse.peak : null,
      margin: request.margin,
      marginTested: -sequence.notWorse.nullMean,
      looks: evidence.looks,
      plannedLooks: plan.batches.length,
    },
  };
}
