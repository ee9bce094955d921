import { canonicalJson } from '../../base/content-hash.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The same call or the same reply twice in a row: nothing in the loop told the model that it stands still (a turn that a hook answered did). */
export const identicalRepeat = evidenceRule('identical-repeat', 'middleware_mismatch', (trajectory) => {
  const answered = new Set(
    eventsOf(trajectory, 'middleware-acted')
      .filter(({ action }) => action === 'stopped-call' || action === 'asked-again')
      .map(({ turn }) => turn),
  );
  const calls = eventsOf(trajectory, 'call-parsed').filter(
    ({ turn }) => !answered.has(turn) && !isBad(trajectory, turn),
  );
  const repeatedCall = calls.find((event, index) => {
    const before = calls[index - 1];
    return (
      before !== undefined && before.turn !== event.turn && canonicalJson(before.call) === canonicalJson(event.call)
    );
  });
  const replies = eventsOf(trajectory, 'model-called').filter(
    ({ turn, turnKind }) => turnKind !== 'summary' && !answered.has(turn) && !isBad(trajectory, turn),
  );
  const repeatedReply = replies.find(
    (event, index) => event.text.trim() !== '' && replies[index - 1]?.text.trim() === event.text.trim(),
  );
  const repeated = repeatedCall ?? repeatedReply;
  if (repeated === undefined) return null;
  return {
    component: 'middleware',
    path: 'middleware',
    explanation: 'The model repeated itself word for word and the loop let it.',
    severity: 0.8,
    confidence: 0.7,
    evidence: [evidence(repeated, repeated.type === 'call-parsed' ? repeated.raw : repeated.text)],
  };
});

/** Whether a call of the turn was refused, failed or could not be read: then that, and not the repetition, is the cause. */
function isBad({ events }: Trajectory, turn: number): boolean {
  return events.some(
    (event) =>
      (event.type === 'tool-refused' || event.type === 'tool-failed' || event.type === 'call-unreadable') &&
      event.turn === turn,
  );
}
