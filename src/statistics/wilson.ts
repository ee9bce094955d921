import type { Interval } from './interval.ts';
import { normalQuantile } from './normal-distribution.ts';

/**
 * Two-sided interval in [0, 1] for the success probability behind `successes` of `n` independent trials (successes may be
 * fractional: sums of scores in [0, 1]). [0, 1] for n = 0. Throws RangeError unless 0 ≤ successes ≤ n.
 * Source: Wilson, JASA 22 (1927).
 */
export function wilsonInterval(successes: number, n: number, level = 0.95): Interval {
  if (!(successes >= 0 && successes <= n)) {
    throw new RangeError(`wilsonInterval: expected 0 ≤ successes ≤ n, got ${successes} of ${n}`);
  }
  if (n === 0) return { low: 0, high: 1 };
  const z = normalQuantile(1 - (1 - level) / 2);
  const share = successes / n;
  const denominator = 1 + (z * z) / n;
  const centre = (share + (z * z) / (2 * n)) / denominator;
  const half = (z / denominator) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return {
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === n ? 1 : Math.min(1, centre + half),
  };
}
