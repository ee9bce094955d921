import { BettingEProcess } from './betting-e-process.ts';
import type { Interval } from './interval.ts';

const PRECISION = 1e-4;

/**
 * Interval for the mean of observations in [−1, 1] that holds at every look at once with probability ≥ level: the means
 * that neither of two betting processes (for larger, for smaller) has refuted at (1 − level)/2. [−1, 1] without data.
 * `horizon`: most observations there can be and their expected variance, both known beforehand; it tightens the interval
 * and makes it depend on the order of the observations.
 * Source: Waudby-Smith & Ramdas (2024), theorem 1 with the bets of BettingEProcess.
 */
export function bettingInterval(
  observations: readonly number[] | Float64Array,
  level: number,
  horizon?: { observations: number; variance: number },
): Interval {
  const target = 2 / (1 - level);
  const refutes = (mean: number, sign: 1 | -1) => {
    const process = new BettingEProcess(mean, horizon && { ...horizon, target });
    for (const observation of observations) process.add(sign * observation);
    // Without a horizon the capital now is used, which no order changes; a peak on the way would refute as validly.
    return (horizon === undefined ? process.capital : process.peak) >= target;
  };
  return { low: largestRefuted((mean) => refutes(mean, 1)), high: -largestRefuted((mean) => refutes(mean, -1)) };
}

/** Where refutation ends as the mean rises from −1; −1 when nothing is refuted. */
function largestRefuted(refutes: (mean: number) => boolean): number {
  let refuted = -1;
  let open = 1;
  while (open - refuted > PRECISION) {
    const middle = (refuted + open) / 2;
    if (refutes(middle)) refuted = middle;
    else open = middle;
  }
  return refuted;
}
