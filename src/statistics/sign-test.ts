/**
 * One-sided exact p-value that positive signs are not more likely than negative ones: P(X ≥ positive) for
 * X ~ Binomial(positive + negative, ½). Ties are left out by the caller. 1 without signs.
 */
export function signTest(positive: number, negative: number): number {
  const n = positive + negative;
  // Sum from the top, in logarithms, so that thousands of signs neither overflow nor vanish.
  let logTerm = -n * Math.LN2;
  let tail = 0;
  for (let count = n; count >= positive; count--) {
    tail += Math.exp(logTerm);
    logTerm += Math.log(count) - Math.log(n - count + 1);
  }
  return Math.min(1, tail);
}
