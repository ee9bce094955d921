const PASSED =
  /^\s*(pass(ed)?|success(ful)?|succeeded|correct|solved|ok|true|yes|right|resolved|accepted|completed?|1(\.0)?)\b/i;
const FAILED =
  /\b(fail(ed|ure|s)?|wrong|incorrect|error|rejected|unsolved|not (solved|correct|passed|accepted|completed)|mismatch|timeout|timed out|aborted|crash(ed)?|false|no answer)\b|^\s*0(\.0)?\b/i;
const VERDICT_KEYS = [
  'passed',
  'pass',
  'success',
  'succeeded',
  'successful',
  'correct',
  'solved',
  'resolved',
  'ok',
  'score',
  'reward',
  'status',
  'result',
  'verdict',
  'outcome',
  'label',
  'grade',
];

/** Whether an outcome in any form says that the run passed; null where it does not tell. A score counts as passed from 1 on. */
export function hasPassed(outcome: unknown): boolean | null {
  if (typeof outcome === 'boolean') return outcome;
  if (typeof outcome === 'number') return outcome >= 1;
  if (typeof outcome === 'string') {
    if (PASSED.test(outcome) && !/^\s*(correct|right)\s+\w+\s+(is|was|would)\b/i.test(outcome)) return true;
    return FAILED.test(outcome) || outcome.trim() !== '' ? false : null;
  }
  if (typeof outcome !== 'object' || outcome === null) return null;
  const fields = outcome as Record<string, unknown>;
  for (const key of VERDICT_KEYS) {
    if (fields[key] === undefined || fields[key] === null || typeof fields[key] === 'object') continue;
    return hasPassed(fields[key]);
  }
  return null;
}

/** An outcome in any form as text. */
export function outcomeText(outcome: unknown): string {
  if (outcome === undefined || outcome === null) return '';
  if (typeof outcome === 'string') return outcome;
  if (typeof outcome !== 'object') return String(outcome);
  return Object.entries(outcome)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ');
}
