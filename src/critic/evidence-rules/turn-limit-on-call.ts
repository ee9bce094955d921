import type { Harness } from '../../harness/harness.ts';
import { eventsOf, evidence, isFollowedBy, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The turn limit fell while the model was still calling tools. Surest where φ's own examples need more turns than it allows. */
export const turnLimitOnCall = evidenceRule('turn-limit-on-call', 'middleware_mismatch', (trajectory, harness) => {
  const limit = lastEventOf(trajectory, 'turn-limit-reached');
  const call = lastEventOf(trajectory, 'call-parsed');
  if (limit === undefined || call === undefined) return null;
  const working = eventsOf(trajectory, 'model-called').filter((event) => event.turnKind === 'working');
  if (working.at(-1)?.turn !== call.turn) return null;
  const hasAnswer = trajectory.outcome.kind === 'scored' && trajectory.outcome.extracted !== null;
  const isTooFew = turnsShown(harness) > harness.settings.limits.turns;
  // A final turn was asked for an answer in the middle of the work: only calls that got on count as work.
  if (hasAnswer && !isTooFew && !isFollowedBy(trajectory, call, 'tool-returned')) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/limits/turns',
    explanation: 'The last working turn still held a call; the limit came before an answer.',
    severity: 0.9,
    confidence: isTooFew ? 0.95 : hasAnswer ? 0.6 : 0.75,
    evidence: [evidence(call, call.raw), evidence(limit, `turn limit at turn ${limit.turn}`)],
    repair: [
      {
        path: 'harness.yaml#/limits/turns',
        old: harness.settings.limits.turns,
        value: Math.max(
          turnsShown(harness),
          harness.settings.limits.turns + Math.max(1, Math.ceil(harness.settings.limits.turns / 2)),
        ),
      },
    ],
  };
});

/** Turns that the longest example takes, a final text included. */
function turnsShown({ examples }: Harness): number {
  return Math.max(0, ...examples.map(({ steps }) => steps.length));
}
