import { canonicalJson } from '../../base/content-hash.ts';
import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { type EventOf, eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule, type Finding } from '../evidence-rule.ts';

/** Turns were dropped at a third of the requests or more, or the model asks again for what it had been told. */
export const historyTrimmed = evidenceRule('history-trimmed', 'memory_overflow', (trajectory, harness) =>
  trimFinding(trajectory, harness, 'sure'),
);

/** Some turns that the model had seen were dropped before the failure, and nothing else explains it. */
export const historyTrimmedOnce = evidenceRule('history-trimmed', 'memory_overflow', (trajectory, harness) =>
  trimFinding(trajectory, harness, 'any'),
);

function trimFinding(trajectory: Trajectory, harness: Harness, wanted: 'sure' | 'any'): Finding | null {
  const trims = eventsOf(trajectory, 'history-trimmed').filter((event) => event.droppedMessages > 0);
  const [first] = trims;
  if (first === undefined) return null;
  const again = askedAgain(trajectory, first);
  const isSure = again !== undefined || trims.length * 3 >= eventsOf(trajectory, 'model-called').length;
  if (wanted === 'sure' && !isSure) return null;
  const now = harness.memory.historyTokens;
  return {
    component: 'memory',
    path: 'memory.yaml#/historyTokens',
    explanation:
      again === undefined
        ? 'Earlier turns were dropped from the request before the rollout failed.'
        : 'Earlier turns were dropped, and the model asked again for what it had been told.',
    severity: 0.8,
    confidence: isSure ? 0.85 : 0.6,
    evidence: [
      ...trims
        .slice(0, 2)
        .map((event) => evidence(event, `${event.droppedMessages} messages dropped at turn ${event.turn}`)),
      ...(again === undefined ? [] : [evidence(again, again.raw)]),
    ],
    ...(now === null ? {} : { repair: [{ path: 'memory.yaml#/historyTokens', old: now, value: null }] }),
  };
}

function askedAgain(trajectory: Trajectory, trim: EventOf<'history-trimmed'>): EventOf<'call-parsed'> | undefined {
  const calls = eventsOf(trajectory, 'call-parsed');
  const before = new Set(calls.filter(({ turn }) => turn < trim.turn).map(({ call }) => canonicalJson(call)));
  return calls.find(({ turn, call }) => turn >= trim.turn && before.has(canonicalJson(call)));
}
