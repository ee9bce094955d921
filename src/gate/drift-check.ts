import { bettingInterval } from '../statistics/betting-confidence-sequence.ts';
import { BettingEProcess } from '../statistics/betting-e-process.ts';
import { mean } from '../statistics/summary.ts';
import { INTERVAL_LEVEL } from './gate-evidence.ts';

/**
 * `ok`: shown to have lost less than the margin against the reference. `drifted`: not so, and shown to have
 * lost or seen to have lost more than the margin. `unclear`: neither; a change that rests on "not worse" alone must not be added on top.
 */
export interface DriftVerdict {
  verdict: 'ok' | 'drifted' | 'unclear';
  /** Champion − reference over groups, in [−1, 1], with its 95% interval. */
  mean: number;
  low: number;
  high: number;
  groups: number;
  explanation: string;
}

/**
 * Compares a champion with a reference that does not move with it: the frozen seed pair, or the last audited champion. Each
 * accepted change may lose up to the margin unseen; measured against the same reference the losses add up and show.
 * `differences`: one mean difference champion − reference per group, in [−1, 1], on fresh seeds. `alpha`: error of `ok` where the
 * true loss is the margin or more, and of `drifted` where nothing was lost at all (for its first reason).
 */
export function driftCheck({
  differences,
  margin,
  alpha = 0.05,
  plannedVariance = 0.1,
}: {
  differences: readonly number[];
  margin: number;
  alpha?: number;
  /** Expected variance of one difference. */
  plannedVariance?: number;
}): DriftVerdict {
  const centre = mean(differences) ?? 0;
  const horizon = { observations: differences.length, variance: plannedVariance };
  const interval = bettingInterval(differences, INTERVAL_LEVEL, horizon);
  const kept = new BettingEProcess(-margin, { ...horizon, target: 1 / alpha });
  const lost = new BettingEProcess(0, { ...horizon, target: 1 / alpha });
  for (const difference of differences) {
    kept.add(difference);
    lost.add(-difference);
  }
  const drifted = lost.peak >= 1 / alpha || centre < -margin;
  const verdict = kept.peak >= 1 / alpha ? 'ok' : drifted ? 'drifted' : 'unclear';
  const numbers = `${(centre * 100).toFixed(1)} pp (${(interval.low * 100).toFixed(1)} to ${(interval.high * 100).toFixed(1)})`;
  const meaning = {
    ok: `has lost less than ${(margin * 100).toFixed(1)} pp against the reference`,
    drifted: 'has drifted below the reference: go back to the last version that had not',
    unclear: `is not shown to have lost less than ${(margin * 100).toFixed(1)} pp against the reference`,
  };
  const explanation = `The champion ${meaning[verdict]}: ${numbers} on ${differences.length} groups.`;
  return { verdict, mean: centre, ...interval, groups: differences.length, explanation };
}
