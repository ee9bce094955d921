import { eventsOf, evidence, isFollowedBy } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The model tried to call and the dialect's parser could not read it; no later call of the rollout got through. */
export const callUnreadable = evidenceRule('call-unreadable', 'tool_schema_error', (trajectory) => {
  const unread = eventsOf(trajectory, 'call-unreadable').filter(
    (event) => !isFollowedBy(trajectory, event, 'tool-returned'),
  );
  if (unread.length === 0) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/protocol/dialect',
    explanation: 'The reply holds something like a call, but not in the form that the dialect reads.',
    severity: 1,
    confidence: 0.85,
    evidence: unread.slice(0, 3).map((event) => evidence(event, `${event.problem}: ${event.raw}`)),
  };
});
