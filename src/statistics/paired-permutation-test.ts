import { seededRandom } from '../base/random.ts';

/** Up to this many non-zero differences all 2^n sign patterns are counted; above it they are sampled. */
const EXACT_LIMIT = 14;
/** Sampling stops early once this many sampled sums reached the observed one (Besag & Clifford, Biometrika 78, 1991). */
const ENOUGH_EXCEEDANCES = 200;

/**
 * One-sided p-value in (0, 1] that independent differences are symmetric around 0 against a larger mean: share of sign
 * patterns whose sum reaches the observed one. Exact for ≤ 14 non-zero differences, otherwise a Monte Carlo p-value
 * that counts the observed pattern itself and is therefore valid at any number of samples. The order of the differences
 * does not matter (they are sorted first). 1 without differences.
 */
export function pairedPermutationTest(
  differences: ArrayLike<number>,
  { seed = 1, samples = 20_000 }: { seed?: number; samples?: number } = {},
): number {
  const values = Float64Array.from(differences)
    .filter((value) => value !== 0)
    .sort();
  if (values.length === 0) return 1;
  let observed = 0;
  for (const value of values) observed += value;
  // Sums of the same terms in another order may differ in the last bits: count those as reached.
  const reached = observed - 1e-9;
  return values.length <= EXACT_LIMIT ? exactShare(values, reached) : sampledShare(values, reached, seed, samples);
}

function exactShare(values: Float64Array, reached: number): number {
  const patterns = 2 ** values.length;
  let count = 0;
  for (let pattern = 0; pattern < patterns; pattern++) {
    let sum = 0;
    for (let index = 0; index < values.length; index++) {
      sum += pattern & (1 << index) ? -(values[index] as number) : (values[index] as number);
    }
    if (sum >= reached) count++;
  }
  return count / patterns;
}

function sampledShare(values: Float64Array, reached: number, seed: number, samples: number): number {
  const random = seededRandom(seed);
  let exceedances = 0;
  for (let sample = 1; sample <= samples; sample++) {
    let sum = 0;
    let bits = 0;
    for (let index = 0; index < values.length; index++) {
      if (index % 30 === 0) bits = random.below(2 ** 30);
      sum += bits & 1 ? (values[index] as number) : -(values[index] as number);
      bits >>>= 1;
    }
    if (sum >= reached) exceedances++;
    // Valid in itself: exceedances / samples drawn is a p-value at this stopping rule.
    if (exceedances === ENOUGH_EXCEEDANCES) return exceedances / sample;
  }
  return (exceedances + 1) / (samples + 1);
}
