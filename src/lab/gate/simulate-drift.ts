import { seededRandom, seedFrom } from '../../base/random.ts';
import { driftCheck } from '../../gate/drift-check.ts';
import { planGate } from '../../gate/plan-gate.ts';
import { SequentialDecision } from '../../gate/sequential-decision.ts';
import {
  childRates,
  IterationRollouts,
  type PairRates,
  SIMULATED_WORLDS,
  seedRates,
  withinTaskVariance,
} from './simulated-world.ts';

/** Deletions that each lose a little: what the gate alone lets through, and what is left once drift is checked. */
export interface DriftResult {
  searches: number;
  steps: number;
  effect: number;
  margin: number;
  groups: number;
  repeats: number;
  /** Share of single diffs that pass "not worse" on their own. */
  passAlone: number;
  /** Mean true loss of the final champion against the seed pair, and share of searches that lost more than the margin. */
  unchecked: { meanLoss: number; beyondMargin: number };
  checked: { meanLoss: number; beyondMargin: number; stopped: number };
}

const STEPS = 5;
const EFFECT = -0.02;
const MARGIN = 0.05;
/** Error of the drift check where the margin is lost: that of a run's audits by default. */
const ALPHA = 0.05;
const GROUPS = 600;
const REPEATS = 4;
const WORLD = 'coupled';

export function simulateDrift(searches: number, seed: number): DriftResult {
  const random = seededRandom(seedFrom('drift', seed));
  const world = SIMULATED_WORLDS.find(({ name }) => name === WORLD) as (typeof SIMULATED_WORLDS)[number];
  const within = withinTaskVariance(world) * (1 - world.coupling);
  const plan = planGate({ groups: GROUPS, repeats: REPEATS, alpha: 0.01, margin: MARGIN, withinTaskVariance: within });

  /** Mean differences per group of fresh rollouts. */
  const compare = (parent: PairRates, child: PairRates): number[] => {
    const rollouts = new IterationRollouts(world, parent, REPEATS, random);
    return Array.from({ length: GROUPS }, (_, group) => {
      const before = rollouts.parent(group);
      return rollouts.child(group, child.scoring[group] as number) - before;
    });
  };
  const notWorse = (differences: readonly number[]) => {
    const sequence = new SequentialDecision({ ...plan, margin: MARGIN, marginAsked: MARGIN, goal: 'not-worse' });
    for (const difference of differences) sequence.add(difference, Number.NaN, difference, 1);
    return sequence.state() === 'not-worse' || sequence.improvementShown;
  };

  const ends = { unchecked: [] as number[], checked: [] as number[] };
  let passed = 0;
  let stopped = 0;
  for (let search = 0; search < searches; search++) {
    for (const mode of ['unchecked', 'checked'] as const) {
      const seedPair = seedRates(world, GROUPS, random);
      let champion = seedPair;
      for (let step = 0; step < STEPS; step++) {
        const child = childRates(world, champion, EFFECT, random);
        const accepted = notWorse(compare(champion, child));
        if (mode === 'unchecked' && accepted) passed++;
        if (!accepted) continue;
        // The gate itself has compared the first one with the seed pair.
        if (mode === 'checked' && champion !== seedPair) {
          const drift = driftCheck({ differences: compare(seedPair, child), margin: MARGIN, alpha: ALPHA });
          if (drift.verdict !== 'ok') {
            stopped++;
            continue;
          }
        }
        champion = child;
      }
      ends[mode].push(meanOf(seedPair.scoring) - meanOf(champion.scoring));
    }
  }
  const summary = (losses: readonly number[]) => ({
    meanLoss: meanOf(losses),
    beyondMargin: losses.filter((loss) => loss > MARGIN).length / losses.length,
  });
  return {
    searches,
    steps: STEPS,
    effect: EFFECT,
    margin: MARGIN,
    groups: GROUPS,
    repeats: REPEATS,
    passAlone: passed / (searches * STEPS),
    unchecked: summary(ends.unchecked),
    checked: { ...summary(ends.checked), stopped: stopped / searches },
  };
}

function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return sum / values.length;
}
