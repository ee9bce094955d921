/** Of scores in [0, 1] where null means unscored. Missing is not zero: `mean` is undefined when nothing was scored. */
export interface ScoreSummary {
  mean: number | undefined;
  scored: number;
  unscored: number;
}

export function summarise(scores: Iterable<number | null>): ScoreSummary {
  let sum = 0;
  let scored = 0;
  let unscored = 0;
  for (const score of scores) {
    if (score === null) unscored++;
    else {
      sum += score;
      scored++;
    }
  }
  return { mean: scored === 0 ? undefined : sum / scored, scored, unscored };
}

/** Arithmetic mean; undefined without values. */
export function mean(values: ArrayLike<number>): number | undefined {
  if (values.length === 0) return undefined;
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  return sum / values.length;
}

/** Sample variance (divisor n − 1); undefined below two values. */
export function variance(values: ArrayLike<number>): number | undefined {
  const centre = mean(values);
  if (centre === undefined || values.length < 2) return undefined;
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += ((values[index] as number) - centre) ** 2;
  return sum / (values.length - 1);
}
