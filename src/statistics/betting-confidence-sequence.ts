import { BettingEProcess } from './betting-e-process.ts';
import type { Interval } from './interval.ts';

const PRECISION = 1e-4;

/**
 * Interval for the mean of observations in [−1, 1] that holds at every look at once with probability ≥ level: the means
 * that neither of two betting processes (for larger, for smaller) has refuted at (1 − level)/2. [−1, 1] without data.
 * Order of the observations does not matter.
 * Source: Waudby-Smith & Ramdas (2024), theorem 1 with the bets of BettingEProcess.
 */
export function bettingInterval(observations: readonly number[] | Float64Array, level: number): Interval {
  const target = 2 / (1 - level);
  return {
    low: largestRefuted(observations, 1, target),
    high: -largestRefuted(observations, -1, target),
  };
}

/** Largest mean that the capital at the end refutes (capital falls as the null mean rises), −1 when there is none. */
function largestRefuted(observations: readonly number[] | Float64Array, sign: 1 | -1, target: number): number {
  let refuted = -1;
  let open = 1;
  while (open - refuted > PRECISION) {
    const middle = (refuted + open) / 2;
    const process = new BettingEProcess(middle);
    for (const observation of observations) process.add(sign * observation);
    if (process.capital >= target) refuted = middle;
    else open = middle;
  }
  return refuted;
}
