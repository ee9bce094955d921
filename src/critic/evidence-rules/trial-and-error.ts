import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

const FEWEST_TRIALS = 4;

/** One tool called again and again with other arguments, without an answer: the model gropes for a routine that nothing gives it. */
export const trialAndError = evidenceRule('trial-and-error', 'skill_missing', (trajectory) => {
  const calls = eventsOf(trajectory, 'call-parsed');
  const byTool = Map.groupBy(calls, ({ call }) => call.tool);
  const most = [...byTool.values()].sort((a, b) => b.length - a.length)[0] ?? [];
  const distinct = new Set(most.map(({ call }) => JSON.stringify(call.arguments))).size;
  const failed = trajectory.events.filter(({ type }) => type === 'tool-failed' || type === 'tool-refused').length;
  if (distinct < FEWEST_TRIALS || failed * 2 < distinct) return null;
  return {
    component: 'skill',
    path: 'skills',
    explanation: `${most[0]?.call.tool} was tried in ${distinct} ways, ${failed} of them in vain: no routine says how this is done.`,
    severity: 0.8,
    confidence: 0.6,
    evidence: most.slice(0, 3).map((event) => evidence(event, event.raw)),
  };
});
