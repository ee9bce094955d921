import { CoHarnessError } from '../base/errors.ts';

/** One decision already taken in this search. */
export interface PastDecision {
  accepted: boolean;
  /** Error it was allowed. */
  alpha: number;
}

export const ERROR_CONTROLS = ['fallback', 'spending', 'e-lond'] as const;
/**
 * `fallback` (default): alpha/decisions each; an accepted decision hands its error on to the next. Chance of any false
 * accept in the search ≤ alpha under every dependence (a weighted-Bonferroni closed test; Tian & Ramdas, "Online control
 * of the familywise error rate", SMMR 30 (2021), online fallback).
 * `spending`: alpha/decisions each, nothing handed on (union bound).
 * `e-lond`: alpha/decisions × (accepted so far + 1): expected share of false accepts among the accepts ≤ alpha under every
 * dependence, for e-values only (Xu & Ramdas, "Online multiple testing with e-values", AISTATS 2024).
 */
export type ErrorControl = (typeof ERROR_CONTROLS)[number];

export interface SearchErrorControl {
  readonly control: ErrorControl;
  /** Error of the whole search. */
  readonly alpha: number;
  /** Most decisions the search may take: iterations × candidates that reach the gate. */
  readonly decisions: number;
  /**
   * Error allowed to decision `decisionIndex` (0-based) given all earlier ones, in order. Throws CoHarnessError
   * `search-error-spent` past the planned number: a search that goes on must be planned anew.
   */
  alphaFor(decisionIndex: number, history: readonly PastDecision[]): number;
}

/** Levels depend on the accept/refuse bits of the past alone, so nothing the gate saw otherwise can steer them. */
export function searchErrorControl({
  control = 'fallback',
  alpha = 0.05,
  decisions,
}: {
  control?: ErrorControl;
  alpha?: number;
  decisions: number;
}): SearchErrorControl {
  if (!(Number.isInteger(decisions) && decisions >= 1 && alpha > 0 && alpha < 1)) {
    throw new CoHarnessError(
      'invalid-error-control',
      `Error control needs decisions ≥ 1 and alpha in (0, 1), got ${decisions} decisions and alpha ${alpha}.`,
      { details: { decisions, alpha } },
    );
  }
  const share = alpha / decisions;
  const levels: Record<ErrorControl, (history: readonly PastDecision[]) => number> = {
    spending: () => share,
    fallback: (history) => {
      const last = history.at(-1);
      return share + (last?.accepted === true ? last.alpha : 0);
    },
    'e-lond': (history) => share * (history.filter(({ accepted }) => accepted).length + 1),
  };
  return {
    control,
    alpha,
    decisions,
    alphaFor: (decisionIndex, history) => {
      if (decisionIndex >= decisions) throw spent(decisionIndex, decisions);
      return levels[control](history.slice(0, decisionIndex));
    },
  };
}

function spent(index: number, decisions: number): CoHarnessError {
  return new CoHarnessError(
    'search-error-spent',
    `The search was planned for ${decisions} decisions, this would be number ${index + 1}: its error is spent. ` +
      'Plan more iterations or candidates at the start, or begin a new search.',
    { details: { index, decisions } },
  );
}
