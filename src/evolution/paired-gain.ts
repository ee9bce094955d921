import { mean, variance } from '../statistics/summary.ts';

export interface PairedGain {
  /** Mean difference after − before in [−1, 1], 0 without tasks. */
  gain: number;
  /** Its standard error, ≥ 0; 0 where every task changed by the same. */
  error: number;
  /** Tasks that were scored on both sides. */
  tasks: number;
}

/** Scores of the same tasks in the same order before and after a change; null where there is no score, which is left out. */
export function pairedGain(before: readonly (number | null)[], after: readonly (number | null)[]): PairedGain {
  const differences = after.flatMap((score, index) => {
    const earlier = before[index];
    return score === null || earlier === null || earlier === undefined ? [] : [score - earlier];
  });
  const tasks = differences.length;
  return {
    gain: mean(differences) ?? 0,
    error: Math.sqrt((variance(differences) ?? 0) / Math.max(1, tasks)),
    tasks,
  };
}
