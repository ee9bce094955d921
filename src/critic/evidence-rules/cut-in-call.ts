import { eventsOf, evidence, isFollowedBy, modelCallOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The token limit cut a call, or a reply before its call: the model was not let finish. */
export const cutInCall = evidenceRule('cut-in-call', 'middleware_mismatch', (trajectory) => {
  // A reply cut before it came to its call looks like one without a call.
  const cut = [...eventsOf(trajectory, 'call-unreadable'), ...eventsOf(trajectory, 'no-call')].find(
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
      evidence(cut, cut.type === 'call-unreadable' ? cut.raw : (call?.text.slice(-120) ?? '')),
      ...(call ? [evidence(call, `finish reason length at ${call.maxTokens} tokens`)] : []),
    ],
  };
});
