import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { replyWithoutCall } from './call-in-other-form.ts';

/** Tools were offered and the reply goes on without any: nothing shows or demands a call. */
export const noCall = evidenceRule('no-call', 'prompt_ambiguity', (trajectory) => {
  if (eventsOf(trajectory, 'tool-returned').length > 0) return null;
  const reply = replyWithoutCall(trajectory)[0];
  if (reply === undefined) return null;
  return {
    component: 'prompt',
    path: 'prompts/system.md',
    explanation:
      'Tools were offered and the reply holds no call: instructions and examples do not make the model call.',
    severity: 1,
    confidence: 0.75,
    evidence: [evidence(reply, reply.text)],
  };
});
