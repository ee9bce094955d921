import { seededRandom } from '../base/random.ts';
import type { Interval } from './interval.ts';

export interface BootstrapOptions {
  seed: number;
  level?: number;
  resamples?: number;
}

export interface BootstrapEstimate extends Interval {
  mean: number;
  groups: number;
}

/**
 * Percentile interval of the mean of `values`, one value per group (groups, not tasks or repeats, are the unit that is
 * resampled with replacement). For a difference, each value is that group's mean difference. Undefined without groups;
 * with a single group the interval is that value and says nothing.
 * Source: Efron & Tibshirani (1993), ch. 13.
 */
export function groupBootstrap(values: readonly number[], options: BootstrapOptions): BootstrapEstimate | undefined {
  const { seed, level = 0.95, resamples = 4000 } = options;
  if (values.length === 0) return undefined;
  const random = seededRandom(seed);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw++) sum += values[random.below(values.length)] as number;
    means[resample] = sum / values.length;
  }
  means.sort();
  const at = (share: number) =>
    means[Math.min(resamples - 1, Math.max(0, Math.round(share * (resamples - 1))))] as number;
  const tail = (1 - level) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, low: at(tail), high: at(1 - tail), groups: values.length };
}

/** One mean per group, in order of first appearance, from (group, value) rows; null values are missing and left out. */
export function groupMeans(rows: Iterable<{ group: string; value: number | null }>): Map<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { group, value } of rows) {
    if (value === null) continue;
    const entry = sums.get(group) ?? { sum: 0, count: 0 };
    entry.sum += value;
    entry.count++;
    sums.set(group, entry);
  }
  return new Map([...sums].map(([group, { sum, count }]) => [group, sum / count]));
}
