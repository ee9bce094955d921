import type { Random } from '../../base/random.ts';
import type { GateRule } from '../../gate/decision.ts';
import { fixedSizeTest } from '../../gate/fixed-size-rules.ts';
import { type GatePlan, planGate } from '../../gate/plan-gate.ts';
import { alphaFor, type ErrorControl } from '../../gate/search-error-control.ts';
import { SequentialDecision } from '../../gate/sequential-decision.ts';
import type { SearchRollouts, SearchWorld } from './search-world.ts';

/** One kind of search. */
export interface SearchSettings<Pair> {
  rule: GateRule;
  world: SearchWorld<Pair>;
  /** Diffs whose only claim is "not worse" (deletions), instead of "better". */
  goal: 'improvement' | 'not-worse';
  candidates: number;
  iterations: number;
  /** Decisions that the error is planned for; absent: as many as it takes, each with less of it. */
  plannedDecisions?: number;
  /** Decisions before the first that is played, all refused. */
  refusedBefore: number;
  groups: number;
  repeats: number;
  alpha: number;
  margin: number;
  control: ErrorControl;
}

export interface SearchResult {
  /** Accepted candidates by their true effect: ≤ 0 (or ≤ −margin for "not worse"), and the others. */
  falseAccepts: number;
  trueAccepts: number;
  rollouts: number;
  decisions: number;
}

type KnownSettings = Omit<SearchSettings<unknown>, 'world'> & { world: Pick<SearchWorld<unknown>, 'name' | 'noise'> };

const plans = new Map<string, GatePlan>();

/** Plans by their inputs: the same few return in every search. */
function planFor({ rule, world, groups, repeats, margin }: KnownSettings, alpha: number): GatePlan {
  const key = [rule, ...Object.values(world.noise), groups, repeats, margin, alpha].join();
  let plan = plans.get(key);
  if (plan === undefined) {
    plan = planGate({ rule, groups, repeats, alpha, margin, ...world.noise });
    plans.set(key, plan);
  }
  return plan;
}

/**
 * One whole search with moving parent: the gate's groups are drawn once and reused by every decision, each iteration buys
 * its parent's rollouts once for all its candidates, the best accepted candidate becomes the parent.
 */
export function simulateSearch<Pair>(settings: SearchSettings<Pair>, random: Random): SearchResult {
  const { world, groups, repeats, candidates, iterations } = settings;
  const result: SearchResult = { falseAccepts: 0, trueAccepts: 0, rollouts: 0, decisions: 0 };
  const perGroup = world.tasksPerGroup * repeats;
  const accepted = new Array<boolean>(settings.refusedBefore).fill(false);
  let parent = world.seedPair(groups, random);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const rollouts = world.openIteration(parent, repeats, random);
    const order = random.shuffled(Array.from({ length: groups }, (_, group) => group));
    let parentGroups = 0;
    let best: { pair: Pair; mean: number } | null = null;
    for (let candidate = 0; candidate < candidates; candidate++) {
      const { pair: child, effect } = world.child(parent, candidate, random);
      const alpha = alphaFor(accepted.length, accepted, settings.alpha, {
        ...(settings.plannedDecisions === undefined ? {} : { decisions: settings.plannedDecisions }),
        control: settings.control,
      });
      const outcome = decideOnce(settings, planFor(settings, alpha), order, rollouts, child, result.decisions);
      accepted.push(outcome.accepted);
      result.decisions++;
      result.rollouts += outcome.groups * perGroup;
      parentGroups = Math.max(parentGroups, outcome.groups);
      if (!outcome.accepted) continue;
      const harmless = settings.goal === 'improvement' ? effect > 0 : effect > -settings.margin;
      if (harmless) result.trueAccepts++;
      else result.falseAccepts++;
      if (best === null || outcome.mean > best.mean) best = { pair: child, mean: outcome.mean };
    }
    result.rollouts += parentGroups * perGroup;
    if (best !== null) parent = best.pair;
  }
  return result;
}

interface Outcome {
  accepted: boolean;
  groups: number;
  mean: number;
}

function decideOnce<Pair>(
  settings: KnownSettings,
  plan: GatePlan,
  order: readonly number[],
  rollouts: SearchRollouts<Pair>,
  child: Pair,
  index: number,
): Outcome {
  const difference = (position: number) => {
    const group = order[position] as number;
    const before = rollouts.parent(group);
    return rollouts.child(group, child) - before;
  };
  if (plan.rule === 'betting') return decideSequentially(settings, plan, difference);
  const differences = new Float64Array(plan.groups);
  for (let position = 0; position < plan.groups; position++) differences[position] = difference(position);
  return decideAtFixedSize(settings, plan, differences, index);
}

function decideSequentially(
  settings: KnownSettings,
  plan: GatePlan,
  difference: (position: number) => number,
): Outcome {
  const sequence = new SequentialDecision({
    alpha: plan.alpha,
    margin: settings.goal === 'improvement' ? plan.marginTested : settings.margin,
    marginAsked: settings.margin,
    goal: settings.goal,
    groups: plan.groups,
    groupVariance: plan.groupVariance,
    minimumDetectableEffect: plan.minimumDetectableEffect,
  });
  for (const batch of plan.batches) {
    const end = sequence.groups + batch;
    while (sequence.groups < end) {
      const whole = difference(sequence.groups);
      sequence.add(whole, Number.NaN, whole, 1);
    }
    const state = sequence.state();
    if (state === 'futile') break;
    if (state !== 'open') return { accepted: true, groups: sequence.groups, mean: sequence.mean };
  }
  return { accepted: false, groups: sequence.groups, mean: sequence.mean };
}

function decideAtFixedSize(settings: KnownSettings, plan: GatePlan, differences: Float64Array, seed: number): Outcome {
  const half = differences.length / 2;
  let sum = 0;
  let targeted = 0;
  for (let position = 0; position < differences.length; position++) {
    sum += differences[position] as number;
    if (position < half) targeted += differences[position] as number;
  }
  const outcome = { groups: differences.length, mean: sum / differences.length };
  // The paper's rule, word for word: half of the tasks stand for the targeted failures, half for held-out behaviour.
  if (plan.rule === 'paper') return { ...outcome, accepted: targeted > 0 && sum - targeted >= 0 };
  const nullMean = settings.goal === 'improvement' ? 0 : -settings.margin;
  const rule = plan.rule as 'permutation' | 'mean';
  return { ...outcome, accepted: fixedSizeTest(rule, differences, nullMean, seed + 1, plan.alpha) <= plan.alpha };
}
