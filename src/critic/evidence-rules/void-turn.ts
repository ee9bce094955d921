import type { Trajectory } from '../../trajectory/trajectory.ts';
import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The model said nothing at all: the template or a stop string ended the turn before it began. A turn that a hook answered is mended. */
export const voidTurn = evidenceRule('void-turn', 'middleware_mismatch', (trajectory) => {
  const empty = eventsOf(trajectory, 'model-called').filter(
    (event) =>
      event.text.trim() === '' &&
      (event.calls ?? []).length === 0 &&
      event.finishReason !== 'window' &&
      !isAnswered(trajectory, event.turn),
  );
  const first = empty[0];
  if (first === undefined) return null;
  const byStop = first.finishReason === 'stop-text';
  return {
    component: byStop ? 'settings' : 'middleware',
    path: byStop ? 'harness.yaml#/protocol/stop' : 'middleware',
    mechanism: byStop ? 'stop-text-empties-turn' : 'void-turn',
    explanation: byStop ? 'A stop string ended the turn before any text.' : 'The model returned an empty turn.',
    severity: 0.9,
    confidence: byStop ? 0.9 : 0.6,
    evidence: empty.slice(0, 3).map((event) => evidence(event, `empty reply, finish reason ${event.finishReason}`)),
  };
});

function isAnswered(trajectory: Trajectory, turn: number): boolean {
  const isAsked = eventsOf(trajectory, 'middleware-acted').some(
    (event) => event.turn === turn && event.action === 'asked-again',
  );
  const spoke = eventsOf(trajectory, 'model-called').some((event) => event.turn > turn && event.text.trim() !== '');
  return isAsked && spoke;
}
