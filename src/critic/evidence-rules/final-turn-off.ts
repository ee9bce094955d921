import { eventsOf, evidence, lastEventOf } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** The turn limit fell after values had come in, and φ does not ask for the answer that the model could now give. */
export const finalTurnOff = evidenceRule('final-turn-off', 'middleware_mismatch', (trajectory, harness) => {
  const limit = lastEventOf(trajectory, 'turn-limit-reached');
  const values = eventsOf(trajectory, 'tool-returned');
  if (
    limit === undefined ||
    harness.settings.finalTurn ||
    harness.settings.answer.from === 'tool' ||
    values.length === 0
  )
    return null;
  if (trajectory.answer !== null) return null;
  const last = values.at(-1);
  return {
    component: 'settings',
    path: 'harness.yaml#/finalTurn',
    explanation: 'The turns were used up with values at hand, and no final turn asks for the answer.',
    severity: 0.9,
    confidence: 0.75,
    evidence: [
      ...(last === undefined ? [] : [evidence(last, last.value)]),
      evidence(limit, `turn limit at turn ${limit.turn}, finalTurn is off`),
    ],
    repair: [{ path: 'harness.yaml#/finalTurn', old: false, value: true }],
  };
});
