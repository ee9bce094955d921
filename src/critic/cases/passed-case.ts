import { quoteOf } from '../case-rules/case-rule.ts';
import type { Case } from './case.ts';
import type { CaseVerdict } from './case-verdict.ts';

/** A pass with a reservation is worth explaining. */
const RESERVATION = /\b(but|although|though|however|except|despite)\b/i;

/**
 * For a case all of whose runs passed: the verdict that nothing is to be attributed, `agent_error` with confidence 0, as the six labels have none for it.
 * Null for every other case; an outcome that does not say, or that passes with a "but", is none that passed.
 */
export function passedVerdict({ id, runs }: Case): CaseVerdict | null {
  if (runs.some(({ passed, outcome }) => passed !== true || RESERVATION.test(outcome))) return null;
  return {
    id,
    label: 'agent_error',
    component: null,
    confidence: 0,
    evidence: runs.slice(0, 5).map(({ place, outcome }) => quoteOf(`${place}/outcome`, outcome)),
    mechanism: 'Every run passed: nothing to attribute.',
    repair: null,
  };
}
