import type { Trajectory } from '../../trajectory/trajectory.ts';
import { type EventOf, eventsOf, evidence, isFollowedBy } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** A stop string ended working turns in the middle: a call that was begun, or a reply without its end. */
export const stopCutsReply = evidenceRule('stop-cuts-reply', 'middleware_mismatch', (trajectory, harness) => {
  const cut = eventsOf(trajectory, 'model-called').filter((event) => isCut(trajectory, event));
  const [first] = cut;
  if (first === undefined) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/protocol/stop',
    explanation: `A stop string (${first.stop.map((text) => JSON.stringify(text)).join(', ')}) ended the reply before it said what it was about to say.`,
    severity: 0.9,
    confidence: 0.85,
    evidence: cut.slice(0, 3).map((event) => evidence(event, `${event.text} (ended by a stop string)`)),
    repair: [{ path: 'harness.yaml#/protocol/stop', old: [...harness.settings.protocol.stop], value: [] }],
  };
});

function isCut(trajectory: Trajectory, event: EventOf<'model-called'>): boolean {
  if (
    event.finishReason !== 'stop-text' ||
    event.text.trim() === '' ||
    isFollowedBy(trajectory, event, 'tool-returned')
  )
    return false;
  const isUnreadable = eventsOf(trajectory, 'call-unreadable').some(({ turn }) => turn === event.turn);
  const isSilent = eventsOf(trajectory, 'no-call').some(({ turn }) => turn === event.turn);
  return isUnreadable || (isSilent && (isUnfinished(event.text) || !endsByAnswer(trajectory)));
}

/** Announces something, or breaks off: no closing mark, an open bracket. */
function isUnfinished(text: string): boolean {
  const end = text.trim();
  const opened = (end.match(/[{[(<]/g) ?? []).length;
  const closed = (end.match(/[}\])>]/g) ?? []).length;
  return opened > closed || /[:,;-]$/.test(end) || !/[.!?\d\])}>"'`]$/.test(end);
}

/** Whether the cut text was the answer and could be read as one: then the stop string did no harm. */
function endsByAnswer({ outcome }: Trajectory): boolean {
  return outcome.kind === 'scored' && outcome.extracted !== null && outcome.score > 0;
}
