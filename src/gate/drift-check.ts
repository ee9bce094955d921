import { points } from '../base/share-text.ts';
import { bettingInterval } from '../statistics/betting-confidence-sequence.ts';
import { BettingEProcess } from '../statistics/betting-e-process.ts';
import { mean } from '../statistics/summary.ts';
import { INTERVAL_LEVEL } from './gate-evidence.ts';

/**
 * `ok`: shown to have lost less than the margin against the reference. `drifted`: not so, and shown to have lost. `unclear`: neither; a change
 * that rests on "not worse" alone must not be added on top.
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

export interface DriftRequest {
  /** One mean difference champion − reference per group, in [−1, 1], on fresh seeds, in an order fixed before. */
  differences: readonly number[];
  margin: number;
  /** Error of `ok` where the true loss is the margin or more. */
  alpha?: number;
  /** Error of `drifted` where nothing was lost at all; default: `alpha`. */
  lossAlpha?: number;
  /** Expected variance of one difference. */
  plannedVariance?: number;
  /** Most differences there will be, where this is a look before the last; default: those given. */
  plannedGroups?: number;
}

/**
 * Compares a champion with a reference that does not move with it: the frozen seed pair, or the last audited champion. Each
 * accepted change may lose up to the margin unseen; measured against the same reference the losses add up and show. Both errors hold at every
 * look at once.
 */
export function driftCheck({
  differences,
  margin,
  alpha = 0.05,
  lossAlpha = alpha,
  plannedVariance = 0.1,
  plannedGroups = differences.length,
}: DriftRequest): DriftVerdict {
  const centre = mean(differences) ?? 0;
  const horizon = { observations: plannedGroups, variance: plannedVariance };
  const interval = bettingInterval(differences, INTERVAL_LEVEL, horizon);
  const kept = new BettingEProcess(-margin, { ...horizon, target: 1 / alpha });
  const lost = new BettingEProcess(0, { ...horizon, target: 1 / lossAlpha });
  for (const difference of differences) {
    kept.add(difference);
    lost.add(-difference);
  }
  const verdict = kept.peak >= 1 / alpha ? 'ok' : lost.peak >= 1 / lossAlpha ? 'drifted' : 'unclear';
  const numbers = `${points(centre)} (${points(interval.low)} to ${points(interval.high)})`;
  const meaning = {
    ok: `has lost less than ${points(margin)} against the reference`,
    drifted: 'has drifted below the reference: go back to the last version that had not',
    unclear: `is not shown to have lost less than ${points(margin)} against the reference`,
  };
  const explanation = `The champion ${meaning[verdict]}: ${numbers} on ${differences.length} groups.`;
  return { verdict, mean: centre, ...interval, groups: differences.length, explanation };
}
