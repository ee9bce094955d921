import type { Version } from '../registry/version.ts';

/** How far the proposers' predictions came true. */
export interface PredictionScore {
  /** Diffs judged by the gate on targeted failures with a prediction of how many they would fix. */
  predicted: number;
  /** Of those, the ones with an observation. */
  observed: number;
  /** Share of the diffs expected to fix something (predicted > 0) that did (observed > least); null where none was expected to. */
  precision: number | null;
  /** Share of the diffs that fixed something that were expected to; null where none did. */
  recall: number | null;
  /** Mean absolute difference of predicted and observed share; null without any. */
  meanError: number | null;
}

/** A prediction counts as made from this share of the targeted failures on. */
const WORTH_SAYING = 0.05;

/** The same for what diffs were expected to break (a share of the score) and to cost (a relative change of tokens). */
export interface SideEffectScore {
  regression: PredictionScore;
  cost: PredictionScore;
}

export function scoreSideEffects(versions: readonly Pick<Version, 'sideEffects'>[]): SideEffectScore {
  const of = (kind: 'regression' | 'cost') =>
    versions.flatMap(({ sideEffects }) => {
      const effect = sideEffects?.[kind];
      return effect == null ? [] : [{ prediction: { fix: effect.predicted, observed: effect.observed } }];
    });
  return {
    regression: scorePredictions(of('regression'), WORTH_SAYING),
    cost: scorePredictions(of('cost'), WORTH_SAYING),
  };
}

/** `least`: what an observation must exceed to count as having happened. */
export function scorePredictions(versions: readonly Pick<Version, 'prediction'>[], least = 0): PredictionScore {
  const made = versions.flatMap(({ prediction }) => prediction ?? []);
  const known = made.flatMap(({ fix, observed }) => (observed === null ? [] : [{ fix, observed }]));
  const expected = known.filter(({ fix }) => fix >= WORTH_SAYING);
  const fixed = known.filter(({ observed }) => observed > least);
  const both = expected.filter(({ observed }) => observed > least).length;
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
