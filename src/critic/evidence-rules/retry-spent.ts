import { eventsOf, evidence, isFollowedBy, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** Models that err twice in a row often get it right the third time; below that φ is stingy. */
const FEW_TRIES = 1;

/** The loop gave up at the first or second bad call although turns were left: φ allows hardly any other try. */
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
  if (allowed > FEW_TRIES || failed.length <= allowed) return null;
  return {
    component: 'retry',
    path: `retry.yaml#/${field}`,
    explanation: `Bad calls ended the rollout after ${last.turn + 1} of ${harness.settings.limits.turns} turns: retry.yaml allows ${allowed} other tries.`,
    severity: 0.9,
    confidence: allowed === 0 ? 0.85 : 0.7,
    evidence: [evidence(last, `${last.problem}; ${field} is ${allowed}`)],
    repair: [{ path: `retry.yaml#/${field}`, old: allowed, value: 2 }],
  };
});

/** A call was not valid JSON, no other came through after it, and the middleware of φ that mends such calls is told to leave them alone. */
export const repairSwitchedOff = evidenceRule('repair-switched-off', 'middleware_mismatch', (trajectory, harness) => {
  const broken = eventsOf(trajectory, 'call-unreadable').find(({ problem }) => /\bJSON\b/.test(problem));
  const repairs = harness.middleware.filter((one) => one.kind === 'argument-repair');
  const [repair] = repairs;
  const isOff = repairs.every(({ options }) => !options.json);
  if (broken === undefined || repair === undefined || !isOff || isFollowedBy(trajectory, broken, 'call-parsed'))
    return null;
  const path = `middleware/${repair.id}.yaml#/options/json`;
  return {
    component: 'middleware',
    path,
    explanation: `A call was no valid JSON, and ${repair.id}, which mends calls, is told to leave JSON alone.`,
    severity: 0.8,
    confidence: 0.75,
    evidence: [evidence(broken, `${broken.problem}: ${broken.raw}`)],
    repair: [{ path, old: false, value: true }],
  };
});
