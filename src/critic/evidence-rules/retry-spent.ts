import { evidence, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The loop gave up at the first bad call although turns were left: φ allows no second try. */
export const retrySpent = evidenceRule('retry-spent', 'middleware_mismatch', (trajectory, harness) => {
  const failed = trajectory.events.filter(
    ({ type }) => type === 'call-unreadable' || type === 'tool-refused' || type === 'tool-failed',
  );
  const last = failed.at(-1);
  if (last === undefined || lastEventOf(trajectory, 'turn-limit-reached') !== undefined) return null;
  if (last.type !== 'call-unreadable' && last.type !== 'tool-refused' && last.type !== 'tool-failed') return null;
  const later = trajectory.events.slice(trajectory.events.indexOf(last) + 1);
  if (later.some((event) => event.type === 'model-called' && event.turnKind === 'working')) return null;
  const field = last.type === 'call-unreadable' ? 'parseErrors' : 'toolErrors';
  const allowed = harness.retry[field];
  if (allowed > 0) return null;
  return {
    component: 'retry',
    path: `retry.yaml#/${field}`,
    explanation: `One bad call ended the rollout after ${last.turn + 1} of ${harness.settings.limits.turns} turns: retry.yaml allows no second try.`,
    severity: 0.9,
    confidence: 0.85,
    evidence: [evidence(last, `${last.problem}; ${field} is ${allowed}`)],
    repair: [{ path: `retry.yaml#/${field}`, old: allowed, value: 2 }],
  };
});
