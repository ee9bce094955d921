/**
 * `undecided`: neither equality nor difference could be shown (a limit, unknown or ambiguous notation); it never counts as equal. `confidence` in [0, 1] that
 * the verdict is the one a careful person would give. `why`: one clause.
 */
export interface Outcome {
  readonly verdict: 'equal' | 'different' | 'undecided';
  readonly confidence: number;
  readonly why: string;
}

export function equal(why: string, confidence = 1): Outcome {
  return { verdict: 'equal', confidence, why };
}

export function different(why: string, confidence = 1): Outcome {
  return { verdict: 'different', confidence, why };
}

export function undecided(why: string): Outcome {
  return { verdict: 'undecided', confidence: 0, why };
}

/**
 * All must be equal: the first difference decides, else the first that is undecided, else equal with the least confidence.
 */
export function allEqual(outcomes: Iterable<Outcome>): Outcome {
  let open: Outcome | null = null;
  let weakest = equal('every part is equal');
  for (const outcome of outcomes) {
    if (outcome.verdict === 'different') return outcome;
    if (outcome.verdict === 'undecided') open ??= outcome;
    else if (outcome.confidence < weakest.confidence) weakest = outcome;
  }
  return open ?? weakest;
}
