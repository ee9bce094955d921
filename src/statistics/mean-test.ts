import { mean, variance } from './summary.ts';

/**
 * One-sided p-value of the paired t test that the mean of `differences`, each in [−1, 1], is ≤ `nullMean` (in (−1, 1)), against larger.
 * Approximate: needs a few dozen differences or near-normal ones. 1 below two differences. Without any spread t says nothing; what stands
 * then is the largest chance that any distribution with such a mean has of giving this one value every time.
 */
export function meanTest(differences: ArrayLike<number>, nullMean = 0): number {
  const centre = mean(differences);
  const spread = variance(differences);
  if (centre === undefined || spread === undefined) return 1;
  const surplus = centre - nullMean;
  // All mass that is not on this value may lie at −1: then the value has this chance in each draw.
  if (spread === 0) return surplus > 0 ? ((1 + nullMean) / (1 + centre)) ** differences.length : 1;
  const t = surplus / Math.sqrt(spread / differences.length);
  return studentUpperTail(t, differences.length - 1);
}

/** P(T > t) for Student's t with `freedom` ≥ 1 degrees of freedom. */
function studentUpperTail(t: number, freedom: number): number {
  const tail = incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t >= 0 ? tail : 1 - tail;
}

/** Regularised incomplete beta function I_x(a, b), relative error about 1e-12 (Lentz's continued fraction). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1), tiny);
  let fraction = d;
  for (let step = 1; step <= 1000; step++) {
    const even = (step * (b - step) * x) / ((a + 2 * step - 1) * (a + 2 * step));
    d = 1 / nonZero(1 + even * d, tiny);
    c = nonZero(1 + even / c, tiny);
    fraction *= d * c;
    const odd = (-(a + step) * (a + b + step) * x) / ((a + 2 * step) * (a + 2 * step + 1));
    d = 1 / nonZero(1 + odd * d, tiny);
    c = nonZero(1 + odd / c, tiny);
    const change = d * c;
    fraction *= change;
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return front * fraction;
}

function nonZero(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln Γ(x) for x > 0 (Lanczos, g = 7). */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let series = 0.99999999999980993;
  for (let index = 0; index < LANCZOS.length; index++) series += (LANCZOS[index] as number) / (x + index);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}
