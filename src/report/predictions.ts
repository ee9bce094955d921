import type { Version } from '../registry/version.ts';

/** How far the proposers' predictions came true. */
export interface PredictionScore {
  /** Diffs judged by the gate on targeted failures with a prediction of how many they would fix. */
  predicted: number;
  /** Of those, the ones with an observation. */
  observed: number;
  /** Share of the diffs expected to fix something (predicted > 0) that did (observed > 0); null where none was expected to. */
  precision: number | null;
  /** Share of the diffs that fixed something that were expected to; null where none did. */
  recall: number | null;
  /** Mean absolute difference of predicted and observed share; null without any. */
  meanError: number | null;
}

/** A prediction counts as made from this share of the targeted failures on. */
const WORTH_SAYING = 0.05;

export function scorePredictions(versions: readonly Pick<Version, 'prediction'>[]): PredictionScore {
  const made = versions.flatMap(({ prediction }) => prediction ?? []);
  const known = made.flatMap(({ fix, observed }) => (observed === null ? [] : [{ fix, observed }]));
  const expected = known.filter(({ fix }) => fix >= WORTH_SAYING);
  const fixed = known.filter(({ observed }) => observed > 0);
  const both = expected.filter(({ observed }) => observed > 0).length;
  return {
    predicted: made.length,
    observed: known.length,
    precision: expected.length === 0 ? null : both / expected.length,
    recall: fixed.length === 0 ? null : both / fixed.length,
    meanError:
      known.length === 0
        ? null
        : known.reduce((sum, { fix, observed }) => sum + Math.abs(fix - observed), 0) / known.length,
  };
}
