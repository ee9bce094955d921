import { canonicalJson } from '../../base/content-hash.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { type EventOf, eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** Turns that the model had seen were dropped, and what followed failed. Surest where it then asks again for what it had. */
export const historyTrimmed = evidenceRule('history-trimmed', 'memory_overflow', (trajectory, harness) => {
  const trims = eventsOf(trajectory, 'history-trimmed').filter((event) => event.droppedMessages > 0);
  const [first] = trims;
  if (first === undefined) return null;
  const again = askedAgain(trajectory, first);
  const now = harness.memory.historyTokens;
  return {
    component: 'memory',
    path: 'memory.yaml#/historyTokens',
    explanation:
      again === undefined
        ? 'Earlier turns were dropped from the request before the rollout failed.'
        : 'Earlier turns were dropped, and the model asked again for what it had been told.',
    severity: 0.8,
    confidence: again === undefined ? 0.65 : 0.85,
    evidence: [
      ...trims
        .slice(0, 2)
        .map((event) => evidence(event, `${event.droppedMessages} messages dropped at turn ${event.turn}`)),
      ...(again === undefined ? [] : [evidence(again, again.raw)]),
    ],
    ...(now === null ? {} : { repair: [{ path: 'memory.yaml#/historyTokens', old: now, value: null }] }),
  };
});

function askedAgain(trajectory: Trajectory, trim: EventOf<'history-trimmed'>): EventOf<'call-parsed'> | undefined {
  const calls = eventsOf(trajectory, 'call-parsed');
  const before = new Set(calls.filter(({ turn }) => turn < trim.turn).map(({ call }) => canonicalJson(call)));
  return calls.find(({ turn, call }) => turn >= trim.turn && before.has(canonicalJson(call)));
}
