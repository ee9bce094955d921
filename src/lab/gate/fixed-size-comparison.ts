import { seededRandom, seedFrom } from '../../base/random.ts';
import { meanTest } from '../../statistics/mean-test.ts';
import { normalQuantile } from '../../statistics/normal-distribution.ts';
import { childRates, IterationRollouts, type SimulatedWorld, seedRates } from './simulated-world.ts';

/** Mean rollouts of one sequential decision beside those of a fixed-size test with the same error and power. */
export interface FixedSizeComparison {
  world: string;
  effect: number;
  alpha: number;
  power: number;
  /** Rollouts of both arms of the smallest fixed-size mean test that reaches this power. */
  fixedRollouts: number;
  /** Mean rollouts of a sequential decision as a share of that: where the effect is there, and where nothing is. */
  shareAtEffect: number;
  shareAtNull: number;
  /** The same shares for Wald's sequential test of normal data, which no test of these two errors can undercut. */
  waldAtEffect: number;
  waldAtNull: number;
}

/** Fewest groups, in steps of 5, with which the paired mean test at `alpha` finds `effect` with probability ≥ `power`. */
export function fixedSizeGroups(
  world: SimulatedWorld,
  settings: {
    effect: number;
    alpha: number;
    power: number;
    repeats: number;
    searches: number;
    seed: number;
    most: number;
  },
): number {
  const { effect, alpha, power, repeats, searches, most } = settings;
  const random = seededRandom(seedFrom('fixed size', settings.seed, world.name));
  const found = new Float64Array(Math.floor(most / 5) + 1);
  const differences = new Float64Array(most);
  for (let search = 0; search < searches; search++) {
    const parent = seedRates(world, most, random);
    const child = childRates(world, parent, effect, random);
    const rollouts = new IterationRollouts(world, parent, repeats, random);
    for (let group = 0; group < most; group++) {
      const before = rollouts.parent(group);
      differences[group] = rollouts.child(group, child.scoring[group] as number) - before;
    }
    for (let step = 2; step < found.length; step++) {
      if (meanTest(differences.subarray(0, step * 5)) <= alpha) found[step] = (found[step] as number) + 1;
    }
  }
  const step = found.findIndex((count) => count / searches >= power);
  return (step < 0 ? found.length - 1 : step) * 5;
}

/** Wald's expected sample sizes over the fixed size, for errors `alpha` and 1 − `power`. Source: Wald (1947), §3.4. */
export function waldShares(alpha: number, power: number): { atEffect: number; atNull: number } {
  const beta = 1 - power;
  const fixed = (normalQuantile(1 - alpha) + normalQuantile(power)) ** 2;
  const up = Math.log(power / alpha);
  const down = Math.log(beta / (1 - alpha));
  return {
    atEffect: (2 * (power * up + beta * down)) / fixed,
    atNull: (-2 * (alpha * up + (1 - alpha) * down)) / fixed,
  };
}
