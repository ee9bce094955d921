import { CoHarnessError } from '../base/errors.ts';
import { points } from '../base/share-text.ts';
import { BettingEProcess } from '../statistics/betting-e-process.ts';
import { normalQuantile } from '../statistics/normal-distribution.ts';
import type { GateRule } from './decision.ts';

export interface GatePlanRequest {
  rule?: GateRule;
  /** Groups of gate tasks, and the mean number of tasks in one (default 1). */
  groups: number;
  tasksPerGroup?: number;
  /** Rollouts of each task in each arm, ≥ 1. */
  repeats: number;
  /** Error allowed for this one decision. */
  alpha: number;
  /** Largest loss on held-out behaviour that still counts as "not worse", in (0, 1). */
  margin: number;
  /** Times a sequential rule looks at the evidence, ≥ 1; default 10. Fewer where an engine needs large batches to be fast. */
  looks?: number;
  /** Rollouts of both arms together that one decision may cost; default: what all groups cost. */
  budgetRollouts?: number;
  /** Variance of a score over repeats of one task (p(1 − p) for a pass rate p), measured; default 0.16. */
  withinTaskVariance?: number;
  /** Variance over tasks of the diff's true effect; default 0.01. */
  effectVariance?: number;
  /** Measured share of (task, seed) pairs whose scores differ; replaces withinTaskVariance where seeds are coupled. */
  discordance?: number;
}

/** What a decision will be able to see and may cost, known before anything is paid. */
export interface GatePlan {
  rule: GateRule;
  repeats: number;
  tasksPerGroup: number;
  alpha: number;
  margin: number;
  /** Smallest loss of the whole score through held-out behaviour that can be excluded with power 0.8 where nothing changed. */
  affordableMargin: number;
  /** max(margin, affordableMargin): tested on held-out behaviour once the whole is shown to improve; an accepted decision says which loss that excluded. */
  marginTested: number;
  /**
   * The same for deletions and speed diffs, whose only evidence it is (stricter error, never widened): above `margin`, they
   * cannot be expected to pass.
   */
  affordableDeletionMargin: number;
  /** Most groups, and rollouts of both arms, that the decision can take. */
  groups: number;
  maxRollouts: number;
  /** Assumed variance of a group's mean difference. */
  groupVariance: number;
  /** Smallest true mean difference found with probability ≥ 0.8, in (0, 1]; 1 where not even that is found. */
  minimumDetectableEffect: number;
  /** Fewest groups with which a decision is possible at all. */
  groupsNeeded: number;
  /** Groups of each batch, in order; their sum is `groups`. Fixed-size rules: one batch. */
  batches: number[];
  note: string;
}

const POWER = 0.8;
const LOOKS = 10;
/** A loss of everything leaves no null mean to bet against. */
const LARGEST_MARGIN = 0.99;
/** Error allowed to "not worse on held-out behaviour" where the whole is already shown to improve. */
export const HELD_OUT_ALPHA = 0.05;
/** Most error allowed to a decision that rests on "not worse" alone: a loss of the margin is accepted this rarely. */
export const NOT_WORSE_ALPHA = 0.002;

/**
 * Throws CoHarnessError `too-few-groups` (details.needed) when no outcome whatsoever could be decided with the groups or
 * the budget, and `invalid-gate-plan` for numbers outside their ranges.
 */
export function planGate(request: GatePlanRequest): GatePlan {
  const {
    rule = 'betting',
    tasksPerGroup = 1,
    repeats,
    alpha,
    margin,
    budgetRollouts = Number.POSITIVE_INFINITY,
  } = request;
  checkRanges(request);
  const groups = Math.min(request.groups, Math.floor(budgetRollouts / (2 * repeats * tasksPerGroup)));
  const groupsNeeded = fewestGroups(rule, alpha);
  if (groups < groupsNeeded) throw tooFewGroups(request, groups, groupsNeeded);
  const groupVariance = assumedVariance(request);
  const affordableMargin = smallestEffect(groups, groupVariance, HELD_OUT_ALPHA, rule, true);
  const plan: Omit<GatePlan, 'note'> = {
    rule,
    repeats,
    tasksPerGroup,
    alpha,
    margin,
    affordableMargin,
    marginTested: Math.max(margin, Math.min(affordableMargin, LARGEST_MARGIN)),
    affordableDeletionMargin: smallestEffect(groups, groupVariance, Math.min(NOT_WORSE_ALPHA, alpha), rule, true),
    groups,
    maxRollouts: Math.ceil(groups * tasksPerGroup * repeats * 2),
    groupVariance,
    minimumDetectableEffect: smallestEffect(groups, groupVariance, alpha, rule, false),
    groupsNeeded,
    batches: batchesOf(groups, rule === 'betting' ? (request.looks ?? LOOKS) : 1),
  };
  return { ...plan, note: describe(plan) };
}

function checkRanges(request: GatePlanRequest): void {
  const { groups, repeats, alpha, margin, budgetRollouts = 0, looks = 1 } = request;
  const problems = [
    ...(Number.isInteger(groups) && groups >= 0 ? [] : [`groups is ${groups}`]),
    ...(Number.isInteger(repeats) && repeats >= 1 ? [] : [`repeats is ${repeats}`]),
    ...(alpha > 0 && alpha < 1 ? [] : [`alpha is ${alpha}`]),
    ...(margin > 0 && margin < 1 ? [] : [`margin is ${margin}`]),
    ...(budgetRollouts >= 0 ? [] : [`budgetRollouts is ${budgetRollouts}`]),
    ...(Number.isInteger(looks) && looks >= 1 ? [] : [`looks is ${looks}`]),
  ];
  if (problems.length === 0) return;
  throw new CoHarnessError(
    'invalid-gate-plan',
    `A gate cannot be planned: ${problems.join(', ')}. Expected whole groups ≥ 0, whole repeats ≥ 1, alpha and margin in (0, 1), budget ≥ 0, whole looks ≥ 1.`,
    { details: { ...request } },
  );
}

function tooFewGroups(request: GatePlanRequest, affordable: number, needed: number): CoHarnessError {
  const { groups, repeats, tasksPerGroup = 1, budgetRollouts, alpha } = request;
  const limit =
    groups < needed
      ? `there are ${groups} groups of gate tasks`
      : `${budgetRollouts} rollouts pay for ${affordable} groups (${repeats} repeats × ${tasksPerGroup} tasks × 2 arms)`;
  const neededRollouts = needed * repeats * tasksPerGroup * 2;
  return new CoHarnessError(
    'too-few-groups',
    `No outcome could be decided at error ${alpha.toPrecision(2)}: ${limit}, at least ${needed} (${neededRollouts} rollouts) are ` +
      'needed even if every group went from all wrong to all right. Add gate tasks, allow more rollouts, or search fewer candidates.',
    { details: { groups: affordable, needed, neededRollouts, alpha, groupsAvailable: groups, budgetRollouts } },
  );
}

/** Variance assumed where every group is taken to go the same way. */
const EXTREME_VARIANCE = 0.1;

/** Below so many groups the t distribution says nothing sound about scores that are 0 or 1. */
const FEWEST_FOR_A_MEAN = 20;

/** Fewest groups with which the most favourable outcome possible is accepted; for `mean` also those that its approximation needs. */
export function fewestGroups(rule: GateRule, alpha: number): number {
  if (rule === 'paper') return 1;
  if (rule === 'permutation') return Math.ceil(Math.log2(1 / alpha));
  if (rule === 'mean') return Math.max(FEWEST_FOR_A_MEAN, Math.ceil(Math.log2(1 / alpha)));
  for (let groups = 1; ; groups++) {
    const process = new BettingEProcess(0, { observations: groups, variance: EXTREME_VARIANCE, target: 1 / alpha });
    for (let group = 0; group < groups; group++) process.add(1);
    if (process.peak >= 1 / alpha) return groups;
  }
}

/** Variance of a group's mean difference that is planned with, before any outcome is known. */
export function assumedVariance(
  request: Pick<GatePlanRequest, 'repeats' | 'tasksPerGroup' | 'withinTaskVariance' | 'effectVariance' | 'discordance'>,
): number {
  const { repeats, tasksPerGroup = 1, withinTaskVariance = 0.16, effectVariance = 0.01, discordance } = request;
  const within = discordance ?? 2 * withinTaskVariance;
  // Tasks of one group are near-copies: only their repeats average out the noise, never the effect's own spread.
  return Math.max(1e-4, within / (repeats * tasksPerGroup) + effectVariance);
}

/**
 * Smallest mean difference (or, for `notWorse`, smallest margin at no difference) that `groups` groups show with
 * probability ≥ 0.8: normal approximation of the capital at the 20% quantile of what would be observed.
 */
function smallestEffect(groups: number, variance: number, alpha: number, rule: GateRule, notWorse: boolean): number {
  if (rule === 'mean' || rule === 'permutation') {
    const z = normalQuantile(1 - alpha) + normalQuantile(POWER);
    return Math.min(1, z * Math.sqrt(variance / groups));
  }
  if (rule === 'paper') return Math.min(1, normalQuantile(POWER) * Math.sqrt(variance / groups));
  let low = 0;
  let high = 1;
  while (high - low > 5e-4) {
    const middle = (low + high) / 2;
    if (capitalShows(groups, variance, alpha, middle, notWorse)) high = middle;
    else low = middle;
  }
  return high;
}

function capitalShows(groups: number, variance: number, alpha: number, effect: number, notWorse: boolean): boolean {
  const horizon = { observations: groups, variance, target: 1 / alpha };
  const process = new BettingEProcess(notWorse ? -Math.min(effect, LARGEST_MARGIN) : 0, horizon);
  const mean = notWorse ? 0 : effect;
  // Two-point observations with the mean of an unlucky sample and the assumed spread, inside [−1, 1].
  const unlucky = mean - normalQuantile(POWER) * Math.sqrt(variance / groups);
  const spread = Math.sqrt(Math.min(variance, Math.max(0, (1 - unlucky) * (1 + unlucky))));
  for (let group = 0; group < groups; group++) {
    const observation = unlucky + (group % 2 === 0 ? spread : -spread);
    process.add(Math.max(-1, Math.min(1, observation)));
  }
  return process.peak >= 1 / alpha;
}

/** As equal as whole groups allow, larger ones first. */
function batchesOf(groups: number, looks: number): number[] {
  const count = Math.min(looks, groups);
  return Array.from({ length: count }, (_, index) => Math.floor(groups / count) + (index < groups % count ? 1 : 0));
}

function describe(plan: Omit<GatePlan, 'note'>): string {
  const effect =
    plan.minimumDetectableEffect >= 1 ? 'no effect reliably' : `effects from +${points(plan.minimumDetectableEffect)}`;
  const margin =
    plan.affordableMargin > plan.margin
      ? `; held-out losses can be excluded from ${points(plan.affordableMargin)} only, not from the ${points(plan.margin)} asked for`
      : `; held-out losses of ${points(plan.margin)} are excluded`;
  const deletions =
    plan.affordableDeletionMargin > plan.margin
      ? `; too little to let deletions pass (they could be shown to lose less than ${points(plan.affordableDeletionMargin)})`
      : '';
  return (
    `up to ${plan.groups} groups × ${Number(plan.tasksPerGroup.toFixed(2))} tasks × ${plan.repeats} repeats × 2 arms = ${plan.maxRollouts} rollouts, ` +
    `error ${plan.alpha.toPrecision(2)}: sees ${effect} (4 times in 5)${margin}${deletions}`
  );
}
