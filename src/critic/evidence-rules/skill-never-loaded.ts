import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** Skills could be loaded by a call, the model loaded none, and no call of its own went through either. */
export const skillNeverLoaded = evidenceRule('skill-never-loaded', 'skill_missing', (trajectory, harness) => {
  const skill = harness.skills.find(({ load }) => load === 'call');
  if (skill === undefined || eventsOf(trajectory, 'skill-loaded').some(({ by }) => by === 'call')) return null;
  const first = eventsOf(trajectory, 'model-called')[0];
  if (first === undefined || eventsOf(trajectory, 'tool-returned').length > 0) return null;
  return {
    component: 'skill',
    path: `skills/${skill.name}/SKILL.md`,
    explanation: 'The model never read a skill that it could have loaded, and nothing else it tried went through.',
    severity: 0.6,
    confidence: 0.5,
    evidence: [evidence(first, first.text)],
  };
});
