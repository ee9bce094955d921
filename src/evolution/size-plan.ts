import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import { gateGroups, tasksPerGateGroup } from './draw-tasks.ts';
import { type RunContext, secondsSpent, type Throughput } from './run-context.ts';
import type { PhaseName } from './run-event.ts';

/**
 * Shares of a run's time by phase, in order: [harness, weights] per round, then the sealed test. The first harness phase gets most of its
 * kind because it starts from nothing. A phase that takes less leaves its time to those that follow.
 */
function phaseWeights(context: RunContext): { round: number; phase: PhaseName; weight: number }[] {
  const { rounds, only } = context.config;
  const weights: { round: number; phase: PhaseName; weight: number }[] = [];
  for (let round = 1; round <= rounds; round++) {
    if (only !== 'weights') weights.push({ round, phase: 'harness', weight: round === 1 ? 0.3 : 0.12 });
    if (only !== 'harness') weights.push({ round, phase: 'weights', weight: 0.26 });
  }
  weights.push({ round: rounds, phase: 'test', weight: context.config.sizes.testTasks === null ? 0.12 : 0 });
  return weights;
}

/** Most of a run's time that is kept for a sealed test of given size: the first rates are measured on few rollouts. */
const MOST_KEPT_SHARE = 0.25;

/** Seconds to keep for a sealed test whose size is given: seed pair, and of each round about two more pairs. */
function secondsKeptForTest(context: RunContext): number {
  const { sizes, rounds, budget, seeds } = context.config;
  const rollouts = (sizes.testTasks ?? 0) * sizes.testRepeats * (1 + 2 * rounds);
  const seconds = rollouts * context.throughput.secondsPerRollout;
  return Math.min(seconds, (MOST_KEPT_SHARE * budget.time) / seeds);
}

/** Seconds that the given phase may use now: what is left of the run's time, by the weights of the phases still to come. */
export function phaseSeconds(context: RunContext, round: number, phase: PhaseName): number {
  const weights = phaseWeights(context);
  const current = weights.findIndex((entry) => entry.round === round && entry.phase === phase);
  const ahead = weights.slice(Math.max(0, current));
  const total = ahead.reduce((sum, entry) => sum + entry.weight, 0);
  const planned = context.config.budget.time / context.config.seeds - secondsKeptForTest(context);
  const left = Math.max(0, planned - secondsSpent(context));
  return total === 0 ? left : (left * (ahead[0]?.weight ?? 1)) / total;
}

/** Under which a plan is in the journal. `step` names it within its seed: phase, round … */
export function planKey(seed: number, step: Record<string, string | number>): ContentHash {
  return contentHash({ step: 'plan', seed, ...step });
}

type Plan<T> = T & Throughput & { seed: number; elapsedSeconds: number };

/**
 * Sizes of one step, decided once and kept with the rates they were planned from: a resumed run uses the stored sizes and goes on from the stored
 * rates. All are counts ≥ 0.
 */
export async function planOnce<T extends Record<string, number>>(
  context: RunContext,
  step: Record<string, string | number>,
  plan: () => T,
): Promise<Plan<T>> {
  const key = planKey(context.seed, step);
  const planned = await once<Plan<T>>(context.journal, 'plan', key, async () => ({
    ...plan(),
    ...context.throughput,
    seed: context.seed,
    elapsedSeconds: Math.round(secondsSpent(context)),
  }));
  // Older run folders keep no rates by pair.
  const { secondsPerRollout, tokensPerRollout, secondsPerTrainingRow, secondsByPair = {} } = planned;
  context.throughput = { secondsPerRollout, tokensPerRollout, secondsPerTrainingRow, secondsByPair };
  return planned;
}

/**
 * `seconds` of rollouts at the measured rate, at least `least`, at most `most`; fewer where the token budget is tighter. `each`: seconds of one rollout, where the
 * rate of the pair is known; default: what the last batch took, whichever pairs were in it.
 */
export function rolloutsFor(
  context: RunContext,
  seconds: number,
  least: number,
  most: number,
  each = context.throughput.secondsPerRollout,
): number {
  const { tokensPerRollout } = context.throughput;
  const byTime = Math.floor(seconds / each);
  const tokens = context.config.budget.tokens;
  const share = seconds / context.config.budget.time;
  const byTokens = tokens === null ? Number.POSITIVE_INFINITY : Math.floor((tokens * share) / tokensPerRollout);
  return Math.max(1, Math.min(most, Math.max(least, Math.min(byTime, byTokens))));
}

/**
 * Tasks a gate gets where there are as many: below the first number an improvement of 10 points over a parent near the floor is not shown at the error of
 * one decision among several, whatever the time; the second is bought where the run is not in a hurry. A gate that ends undecided has cost its rollouts and a
 * share of the error for nothing, and most stop long before.
 */
const FEWEST_TASKS = { hurried: 120, usual: 240 };

/** Times its share of the phase that the usual size may take: a quick run is over before that. */
const MOST_OVERRUN = 3;

/**
 * Groups that both arms can roll out in `seconds`, given what a task costs in both together; at least as many as hold the least number of tasks (`leastTasks`
 * where the decision cannot do with fewer), where there are as many.
 */
export function gateGroupsFor(context: RunContext, seconds: number, secondsPerPair: number, leastTasks = 0): number {
  const available = gateGroups(context).length;
  const perGroup = tasksPerGateGroup(context);
  const inTime = seconds / secondsPerPair;
  const fewest = Math.min(FEWEST_TASKS.usual, Math.max(FEWEST_TASKS.hurried, MOST_OVERRUN * inTime));
  const groups = Math.max(Math.ceil(Math.max(fewest, leastTasks) / perGroup), Math.floor(inTime / perGroup));
  return context.config.sizes.gateGroups ?? Math.min(available, groups);
}
