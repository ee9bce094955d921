import { canonicalJson } from '../../base/content-hash.ts';
import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The memory policy dropped or shortened turns, and the model asked again for what a call before that had given. */
export const droppedResultMissed = evidenceRule('dropped-result-missed', 'memory_overflow', (trajectory) => {
  const drops = [
    ...eventsOf(trajectory, 'history-trimmed').filter(({ droppedMessages }) => droppedMessages > 0),
    ...eventsOf(trajectory, 'memory-acted').filter(({ action }) => action === 'shortened'),
  ];
  const calls = eventsOf(trajectory, 'call-parsed');
  const keys = calls.map(({ call }) => canonicalJson(call));
  for (const [index, again] of calls.entries()) {
    const before = calls[keys.indexOf(keys[index] ?? '')];
    const drop = drops.find(({ turn }) => before !== undefined && turn > before.turn && turn <= again.turn);
    if (drop === undefined || before === again) continue;
    return {
      component: 'memory',
      path: 'memory.yaml#/historyTokens',
      explanation: 'Earlier turns were dropped or shortened, and the model made a call of theirs again.',
      severity: 0.8,
      confidence: 0.8,
      evidence: [
        evidence(drop, drop.type === 'history-trimmed' ? `${drop.droppedMessages} messages dropped` : drop.detail),
        evidence(again, again.raw),
      ],
    };
  }
  return null;
});
