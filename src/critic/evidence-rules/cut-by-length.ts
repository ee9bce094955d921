import { evidence, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The last reply was cut by the token limit and no answer could be found in it. */
export const cutByLength = evidenceRule('cut-by-length', 'middleware_mismatch', (trajectory) => {
  const last = lastEventOf(trajectory, 'model-called');
  if (last?.finishReason !== 'length' || trajectory.outcome.kind !== 'scored' || trajectory.outcome.extracted !== null)
    return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/limits/tokensPerTurn',
    explanation: 'The last reply was cut by the token limit before an answer.',
    severity: 0.9,
    confidence: 0.7,
    evidence: [evidence(last, `…${last.text.slice(-120)} (cut at ${last.maxTokens} tokens)`)],
  };
});
