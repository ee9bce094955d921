import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** Turns that the model had seen were dropped, and what followed failed. */
export const historyTrimmed = evidenceRule('history-trimmed', 'memory_overflow', (trajectory) => {
  const trims = eventsOf(trajectory, 'history-trimmed').filter((event) => event.droppedMessages > 0);
  if (trims.length === 0) return null;
  return {
    component: 'memory',
    path: 'memory.yaml#/historyTokens',
    explanation: 'Earlier turns were dropped from the request before the rollout failed.',
    severity: 0.7,
    confidence: 0.6,
    evidence: trims
      .slice(0, 3)
      .map((event) => evidence(event, `${event.droppedMessages} messages dropped at turn ${event.turn}`)),
  };
});
