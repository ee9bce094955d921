import { eventsOf, evidence, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The rollout's time ran out before an answer. */
export const wallLimit = evidenceRule('wall-limit', 'middleware_mismatch', (trajectory) => {
  const limit = lastEventOf(trajectory, 'wall-limit-reached');
  if (limit === undefined) return null;
  const turns = eventsOf(trajectory, 'model-called').length;
  return {
    component: 'settings',
    path: 'harness.yaml#/limits/wallMs',
    explanation: 'Time ran out before an answer.',
    severity: 1,
    confidence: 0.6,
    evidence: [evidence(limit, `out of time after ${turns} model calls`)],
  };
});
