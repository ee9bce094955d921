import { points } from '../base/share-text.ts';
import { normalQuantile } from '../statistics/normal-distribution.ts';

/** What the best of `candidates` diffs that do nothing would show on this gate by luck alone, in [0, 1]. */
export interface NullBand {
  candidates: number;
  /** Middle of what the best one shows, and what it exceeds once in twenty searches. */
  median: number;
  upper95: number;
  line: string;
}

/** Normal approximation for independent candidates; `groupVariance`: variance of one group's mean difference under no change. */
export function nullBand(groups: number, groupVariance: number, candidates: number): NullBand {
  const error = Math.sqrt(groupVariance / groups);
  const bestAt = (share: number) => Math.max(0, normalQuantile(share ** (1 / candidates)) * error);
  const median = bestAt(0.5);
  const upper95 = bestAt(0.95);
  const line =
    `The best of ${candidates} do-nothing diffs would show +${points(median)} on ${groups} groups half of the time, ` +
    `and more than +${points(upper95)} once in twenty.`;
  return { candidates, median, upper95, line };
}
