import { eventsOf, evidence, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The turn limit fell while the model was still calling tools, and no answer came of it. */
export const turnLimitOnCall = evidenceRule('turn-limit-on-call', 'middleware_mismatch', (trajectory) => {
  const limit = lastEventOf(trajectory, 'turn-limit-reached');
  const call = lastEventOf(trajectory, 'call-parsed');
  if (limit === undefined || call === undefined) return null;
  const working = eventsOf(trajectory, 'model-called').filter((event) => event.turnKind === 'working');
  if (working.at(-1)?.turn !== call.turn) return null;
  if (trajectory.outcome.kind === 'scored' && trajectory.outcome.extracted !== null) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/limits/turns',
    explanation: 'The last working turn still held a call; the limit came before an answer.',
    severity: 0.9,
    confidence: 0.75,
    evidence: [evidence(call, call.raw), evidence(limit, `turn limit at turn ${limit.turn}`)],
  };
});
