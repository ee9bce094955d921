/** Standard normal distribution function, absolute error < 1e-14. */
export function normalCdf(z: number): number {
  if (z > 38) return 1;
  if (z < -38) return 0;
  const upper = upperTail(Math.abs(z));
  return z > 0 ? 1 - upper : upper;
}

/** P(Z > z) for z ≥ 0. Source: West, "Better approximations to cumulative normal functions", Wilmott (2005), after Hart. */
function upperTail(z: number): number {
  const density = Math.exp((-z * z) / 2);
  if (z >= 7.07106781186547) {
    const fraction = z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))));
    return density / fraction / 2.506628274631;
  }
  const numerator =
    ((((((3.52624965998911e-2 * z + 0.700383064443688) * z + 6.37396220353165) * z + 33.912866078383) * z +
      112.079291497871) *
      z +
      221.213596169931) *
      z +
      220.206867912376) *
    density;
  const denominator =
    ((((((8.83883476483184e-2 * z + 1.75566716318264) * z + 16.064177579207) * z + 86.7807322029461) * z +
      296.564248779674) *
      z +
      637.333633378831) *
      z +
      793.826512519948) *
      z +
    440.413735824752;
  return numerator / denominator;
}

/** Standard normal quantile of `probability` in (0, 1), by bisection on the distribution function; ±Infinity at 0 and 1. */
export function normalQuantile(probability: number): number {
  if (probability <= 0) return Number.NEGATIVE_INFINITY;
  if (probability >= 1) return Number.POSITIVE_INFINITY;
  if (probability > 0.5) return -normalQuantile(1 - probability);
  let low = -38;
  let high = 0;
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
