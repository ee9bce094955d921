import { seededRandom } from '../base/random.ts';
import { BettingEProcess } from '../statistics/betting-e-process.ts';
import { assumedVariance } from './plan-gate.ts';

export interface HoldRequest {
  /** Groups that are compared at most, and tasks in each; every task is rolled out once in each arm. */
  groups: number;
  tasksPerGroup: number;
  /** Expected share of pairs whose scores differ. */
  discordance: number;
  /** Error of the claim that less than `margin` was lost. */
  alpha: number;
  margin: number;
  /** True difference that is expected, ≥ 0. */
  lead: number;
}

const COMPARISONS = 200;

/**
 * Chance in [0, 1] that a comparison by betting shows a loss of less than the margin: share of simulated ones, the same each time. Scores that are 0 or 1 are
 * simulated as they are, because few differences of a whole point each cost a bet far more than many small ones of the same variance.
 */
export function chanceToHold({ groups, tasksPerGroup, discordance, alpha, margin, lead }: HoldRequest): number {
  const variance = assumedVariance({ repeats: 1, tasksPerGroup, discordance });
  const random = seededRandom(1);
  const tasks = Math.max(1, Math.round(tasksPerGroup));
  const differing = Math.max(discordance, lead);
  const better = (differing + lead) / 2;
  const draw = () => {
    const chance = random.next();
    return chance < better ? 1 : chance < differing ? -1 : 0;
  };
  let shown = 0;
  for (let comparison = 0; comparison < COMPARISONS; comparison++) {
    const process = new BettingEProcess(-margin, { observations: groups, variance, target: 1 / alpha });
    for (let group = 0; group < groups && process.peak < 1 / alpha; group++) {
      let sum = 0;
      for (let task = 0; task < tasks; task++) sum += draw();
      process.add(sum / tasks);
    }
    if (process.peak >= 1 / alpha) shown++;
  }
  return shown / COMPARISONS;
}
