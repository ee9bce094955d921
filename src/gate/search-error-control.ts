import { CoHarnessError } from '../base/errors.ts';

export const ERROR_CONTROLS = ['fallback', 'spending', 'e-lond'] as const;
/**
 * Each decision has a share of the search's error, fixed before the search. What is done with it:
 *
 * `fallback` (default): an accepted decision hands its error on to the next one. Chance of any false accept in the search ≤
 * alpha under every dependence between the decisions (a weighted-Bonferroni closed test; Tian & Ramdas, "Online control of
 * the familywise error rate", Statistical Methods in Medical Research 30 (2021), online fallback).
 * `spending`: nothing is handed on (union bound).
 * `e-lond`: the share is multiplied by accepts so far + 1. Expected share of false accepts among the accepts ≤ alpha under
 * every dependence, for e-values only (Xu & Ramdas, "Online multiple testing with e-values", AISTATS 2024).
 */
export type ErrorControl = (typeof ERROR_CONTROLS)[number];

export interface SearchErrorOptions {
  control?: ErrorControl;
  /**
   * Most decisions the search can take (rounds × iterations × candidates that reach the gate, weight updates included): each
   * gets alpha/decisions. Without it the search is open-ended and decision i (0-based) gets alpha / ((i + 1)(i + 2)).
   */
  decisions?: number;
}

/**
 * Error in (0, 1) allowed to decision `decisionIndex` (0-based); `accepted` tells for each earlier decision, in order,
 * whether it was accepted, and nothing else of the past may matter. `alpha`: error of the whole search. Throws
 * CoHarnessError `search-error-spent` past the planned number, `invalid-error-control` for numbers out of range.
 */
export function alphaFor(
  decisionIndex: number,
  accepted: readonly boolean[],
  alpha: number,
  { control = 'fallback', decisions }: SearchErrorOptions = {},
): number {
  if (!(alpha > 0 && alpha < 1) || !(decisions === undefined || (Number.isInteger(decisions) && decisions >= 1))) {
    throw new CoHarnessError(
      'invalid-error-control',
      `Error control needs alpha in (0, 1) and whole decisions ≥ 1, got alpha ${alpha} and ${decisions} decisions.`,
      { details: { alpha, decisions } },
    );
  }
  if (decisions !== undefined && decisionIndex >= decisions) throw spent(decisionIndex, decisions);
  const share = (index: number) => (decisions === undefined ? alpha / ((index + 1) * (index + 2)) : alpha / decisions);
  const own = share(decisionIndex);
  if (control === 'spending') return own;
  if (control === 'e-lond') return own * (accepted.slice(0, decisionIndex).filter(Boolean).length + 1);
  let level = own;
  for (let index = decisionIndex - 1; index >= 0 && accepted[index] === true; index--) level += share(index);
  return level;
}

function spent(index: number, decisions: number): CoHarnessError {
  return new CoHarnessError(
    'search-error-spent',
    `The search was planned for ${decisions} decisions, this would be number ${index + 1}: its error is spent. ` +
      'Plan more iterations or candidates at the start, or begin a new search.',
    { details: { index, decisions } },
  );
}
