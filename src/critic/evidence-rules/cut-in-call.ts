import type { Harness } from '../../harness/harness.ts';
import { eventsOf, evidence, isFollowedBy, modelCallOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The token limit cut a call, or leaves no room for one: the model was not let finish. */
export const cutInCall = evidenceRule('cut-in-call', 'middleware_mismatch', (trajectory, harness) => {
  const silent = eventsOf(trajectory, 'no-call').filter((event) =>
    holdsNoCall(harness, modelCallOf(trajectory, event.turn)?.maxTokens ?? Number.POSITIVE_INFINITY),
  );
  const cut = [...eventsOf(trajectory, 'call-unreadable'), ...silent].find(
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

const CHARACTERS_PER_TOKEN = 3;
/** A call with one short argument, where no example shows a real one. */
const SHORT_CALL = 40;

/** Whether a limit is too low for a call as φ shows it: only then does a cut reply without a call speak of the limit. */
function holdsNoCall({ examples }: Harness, maxTokens: number): boolean {
  const shown = examples.flatMap(({ steps }) =>
    steps.flatMap(({ call }) => (call === undefined ? [] : [JSON.stringify(call).length])),
  );
  return maxTokens * CHARACTERS_PER_TOKEN < Math.max(SHORT_CALL, ...shown);
}
