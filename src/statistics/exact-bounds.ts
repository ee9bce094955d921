import { incompleteBeta } from './mean-test.ts';

/**
 * One-sided exact bounds at `level` each for the success probability behind `successes` of `n` trials: the probability is
 * below `upper` with confidence ≥ level, and above `lower` with confidence ≥ level. 0 and 1 where nothing can be said.
 * Source: Clopper & Pearson, Biometrika 26 (1934).
 */
export function exactBounds(successes: number, n: number, level = 0.95): { lower: number; upper: number } {
  // P(X ≤ successes | p) = I_{1−p}(n − successes, successes + 1)
  const upper = successes >= n ? 1 : solve((p) => incompleteBeta(1 - p, n - successes, successes + 1) > 1 - level);
  const lower = successes <= 0 ? 0 : solve((p) => 1 - incompleteBeta(1 - p, n - successes + 1, successes) < 1 - level);
  return { lower, upper };
}

/** Where a condition that holds below ends. */
function solve(holds: (p: number) => boolean): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
