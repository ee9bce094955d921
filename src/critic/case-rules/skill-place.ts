import { emptySkillPlace } from '../harness-facts/empty-skill-place.ts';
import { type CaseRule, type Clue, harnessEvent, quoteOf } from './case-rule.ts';
import { addedText } from './fitting-repair.ts';

const NO_SKILL =
  /\b(skill|playbook|routine|recipe|procedure|workflow|runbook|manual|guide|checklist)s?\b[^.\n]{0,50}\b(not found|missing|does not exist|doesn['’]t exist|unknown|unavailable|not available|no such|empty|not installed)\b|\b(no such|unknown|missing|no) (skill|playbook|routine|recipe|procedure|workflow|runbook|manual|guide|checklist)s?\b|\bno (skill|playbook|routine|recipe|procedure|workflow|runbook|manual|guide|checklist)s? (for|matches|found|covers)/i;

/** A text that ends inside a sentence. */
const BREAKS_OFF = /[,;:]$|\b(the|a|an|to|of|and|or|then|if|when|is|with|for|in|on)$/i;

/** The place for routines holds none, or the agent looks for one and does not find it. */
export const skillPlace: CaseRule = {
  name: 'skill-place',
  clues: ({ failing, harness, facts }) => {
    const [run] = failing;
    if (run === undefined) return [];
    const empty = emptySkillPlace(harness);
    const sought = failing
      .flatMap(({ steps }) => steps)
      .find(({ role, content }) => (role === 'tool' || role === 'note') && NO_SKILL.test(content.slice(0, 500)));
    const clues: Clue[] = [];
    if (sought !== undefined)
      clues.push({
        label: 'skill_missing',
        component: 'skill',
        path: empty ?? '/skills',
        mechanism: 'skill-not-found',
        explanation: 'The agent asked for a routine, and there is none of that name.',
        weight: 2.6,
        evidence: [quoteOf(sought.event, sought.content)],
        repair: addedText(harness, empty ?? '/skills', 'the routine that is asked for'),
      });
    const broken = facts.skills.find(({ text }) => BREAKS_OFF.test(text.trim()));
    if (broken !== undefined)
      clues.push({
        label: 'skill_missing',
        component: 'skill',
        path: broken.path,
        mechanism: 'skill-breaks-off',
        explanation: `The routine "${broken.name}" ends in the middle.`,
        weight: 2,
        evidence: [quoteOf(harnessEvent(run, broken.path), broken.text.slice(-120))],
        repair: null,
      });
    if (empty !== null)
      clues.push({
        label: 'skill_missing',
        component: 'skill',
        path: empty,
        mechanism: 'no-skill-in-its-place',
        explanation: 'The harness has a place for routines and none in it.',
        weight: 0.5,
        evidence: [quoteOf(harnessEvent(run, empty), '(empty)')],
        repair: null,
      });
    return clues;
  },
};
