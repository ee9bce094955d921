import { eventsOf, evidence, isFollowedBy, modelCallOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** A call was begun and the token limit cut it: the model did the right thing and was not let finish. */
export const cutInCall = evidenceRule('cut-in-call', 'middleware_mismatch', (trajectory) => {
  const cut = eventsOf(trajectory, 'call-unreadable').find(
    (event) =>
      modelCallOf(trajectory, event.turn)?.finishReason === 'length' &&
      !isFollowedBy(trajectory, event, 'tool-returned'),
  );
  if (cut === undefined) return null;
  const call = modelCallOf(trajectory, cut.turn);
  return {
    component: 'settings',
    path: 'harness.yaml#/limits/tokensPerTurn',
    explanation: 'The reply reached the token limit in the middle of a call.',
    severity: 0.9,
    confidence: 0.7,
    evidence: [
      evidence(cut, cut.raw),
      ...(call ? [evidence(call, `finish reason length at ${call.maxTokens} tokens`)] : []),
    ],
  };
});
