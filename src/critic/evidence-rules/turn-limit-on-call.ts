import type { Harness } from '../../harness/harness.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { eventsOf, evidence, isFollowedBy, lastEventOf } from '../event-evidence.ts';
import { evidenceRule, type Finding } from '../evidence-rule.ts';

/** The turn limit fell while the model was still calling tools. Surest where φ's own examples need more turns than it allows. */
export const turnLimitOnCall = evidenceRule('turn-limit-on-call', 'middleware_mismatch', (trajectory, harness) => {
  const limit = lastEventOf(trajectory, 'turn-limit-reached');
  const call = lastEventOf(trajectory, 'call-parsed');
  const promised = promisedRetry(trajectory, harness);
  if (limit !== undefined && promised !== null) return promised;
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

/** φ promises another try after a call that could not be read, and its turn limit leaves no turn for it. */
function promisedRetry(trajectory: Trajectory, { settings, retry }: Harness): Finding | null {
  const unread = eventsOf(trajectory, 'call-unreadable');
  const last = unread.at(-1);
  const working = eventsOf(trajectory, 'model-called').filter(({ turnKind }) => turnKind === 'working');
  if (last === undefined || working.at(-1)?.turn !== last.turn || unread.length > retry.parseErrors) return null;
  return {
    component: 'settings',
    path: 'harness.yaml#/limits/turns',
    mechanism: 'turn-limit-before-retry',
    explanation: `φ lets ${retry.parseErrors} unreadable calls be tried again, and its turns end after ${unread.length}.`,
    severity: 0.9,
    confidence: 0.85,
    evidence: [evidence(last, last.raw)],
    repair: [
      {
        path: 'harness.yaml#/limits/turns',
        old: settings.limits.turns,
        value: settings.limits.turns + retry.parseErrors,
      },
    ],
  };
}
