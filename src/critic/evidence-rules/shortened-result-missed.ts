import { canonicalJson } from '../../base/content-hash.ts';
import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The memory policy shortened a result, and the model asked again for what a call before that had given. */
export const shortenedResultMissed = evidenceRule(
  'shortened-result-missed',
  'memory_overflow',
  (trajectory, harness) => {
    const shortened = eventsOf(trajectory, 'memory-acted').filter(({ action }) => action === 'shortened');
    const calls = eventsOf(trajectory, 'call-parsed');
    const keys = calls.map(({ call }) => canonicalJson(call));
    for (const [index, again] of calls.entries()) {
      const before = calls[keys.indexOf(keys[index] ?? '')];
      const event = shortened.find(({ turn }) => before !== undefined && turn > before.turn && turn <= again.turn);
      if (event === undefined || before === again) continue;
      const isStale = harness.memory.staleAfterTurns !== null;
      return {
        component: 'memory',
        path: `memory.yaml#/${isStale ? 'staleAfterTurns' : 'evict'}`,
        explanation: 'An earlier result was shortened, and the model made its call again.',
        severity: 0.8,
        confidence: 0.8,
        evidence: [evidence(event, event.detail), evidence(again, again.raw)],
      };
    }
    return null;
  },
);
