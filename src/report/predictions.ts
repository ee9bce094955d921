import type { PredictedEffect, Version } from '../registry/version.ts';
import { mean } from '../statistics/summary.ts';

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
  const of = (kind: 'regression' | 'cost') => versions.flatMap(({ sideEffects }) => sideEffects?.[kind] ?? []);
  return { regression: scoreEffects(of('regression'), WORTH_SAYING), cost: scoreEffects(of('cost'), WORTH_SAYING) };
}

export function scorePredictions(versions: readonly Pick<Version, 'prediction'>[]): PredictionScore {
  return scoreEffects(
    versions.flatMap(({ prediction }) =>
      prediction === null ? [] : [{ predicted: prediction.fix, observed: prediction.observed }],
    ),
    0,
  );
}

/** `least`: what an observation must exceed to count as having happened. */
function scoreEffects(effects: readonly PredictedEffect[], least: number): PredictionScore {
  const known = effects.flatMap(({ predicted, observed }) => (observed === null ? [] : [{ predicted, observed }]));
  const expected = known.filter(({ predicted }) => predicted >= WORTH_SAYING);
  const happened = known.filter(({ observed }) => observed > least);
  const both = expected.filter(({ observed }) => observed > least).length;
  return {
    predicted: effects.length,
    observed: known.length,
    precision: expected.length === 0 ? null : both / expected.length,
    recall: happened.length === 0 ? null : both / happened.length,
    meanError: mean(known.map(({ predicted, observed }) => Math.abs(predicted - observed))) ?? null,
  };
}
