import { logGamma } from './mean-test.ts';

/**
 * P(X ≥ `hits`), where X counts the marked ones among `drawn` of `total`, of which `marked` are: the one-sided p-value of Fisher's exact test. All are whole
 * numbers, `drawn` and `marked` at most `total`. 1 for `hits` ≤ 0, 0 where so many are impossible.
 */
export function hypergeometricTail({
  hits,
  drawn,
  marked,
  total,
}: {
  hits: number;
  drawn: number;
  marked: number;
  total: number;
}): number {
  let tail = 0;
  for (let count = Math.max(0, hits); count <= Math.min(drawn, marked); count++) {
    const ways = logChoose(marked, count) + logChoose(total - marked, drawn - count);
    tail += Math.exp(ways - logChoose(total, drawn));
  }
  return Math.min(1, tail);
}

function logChoose(n: number, k: number): number {
  if (k > n) return Number.NEGATIVE_INFINITY;
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}
