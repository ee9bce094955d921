import { contentWords } from '../directives.ts';
import { evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { firstRequest } from '../sent-text.ts';

const OWN_WORDS = 3;

/** A prompt leaves room for skills and there are none, a skill breaks off, or none of the skills speaks of anything this task and its tools do. */
export const skillNotGiven = evidenceRule('skill-not-given', 'skill_missing', (trajectory, harness) => {
  const first = firstRequest(trajectory);
  if (first === undefined) return null;
  const place = Object.entries(harness.prompts).find(([, text]) => /\{\{\s*skills\s*\}\}/.test(text));
  if (place !== undefined && harness.skills.length === 0) {
    return {
      component: 'skill',
      path: 'skills',
      mechanism: 'no-skill-in-its-place',
      explanation: `prompts/${place[0]}.md leaves room for skills, and φ has none.`,
      severity: 0.9,
      confidence: 0.9,
      evidence: [evidence(first, place[1])],
    };
  }
  const broken = harness.skills.find(({ text }) => breaksOff(text));
  if (broken !== undefined) {
    return {
      component: 'skill',
      path: `skills/${broken.name}/SKILL.md`,
      mechanism: 'skill-breaks-off',
      explanation: `The skill "${broken.name}" breaks off before its end.`,
      severity: 0.9,
      confidence: 0.75,
      evidence: [evidence(first, `…${broken.text.slice(-120)}`)],
    };
  }
  return null;
});

/** No skill shares words with the task or with the tools: the routines are for something else. */
export const skillForOtherTasks = evidenceRule('skill-for-other-tasks', 'skill_missing', (trajectory, harness) => {
  const first = firstRequest(trajectory);
  if (first === undefined || harness.skills.length === 0) return null;
  const around = contentWords(
    [
      trajectory.problem,
      ...harness.tools.map(
        ({ name, description, parameters }) =>
          `${name.replace(/[_.-]/g, ' ')} ${description} ${JSON.stringify(parameters)}`,
      ),
      ...harness.examples.map(({ problem }) => problem),
    ].join(' '),
  );
  const isAbout = harness.skills.some(({ text }) => {
    const words = contentWords(text);
    const shared = [...words].filter((word) => around.has(word)).length;
    return shared >= OWN_WORDS || shared * 4 >= words.size;
  });
  if (isAbout) return null;
  const [skill] = harness.skills;
  return {
    component: 'skill',
    path: `skills/${skill?.name}/SKILL.md`,
    explanation: 'The skills describe routines that have nothing to do with this task or its tools.',
    severity: 0.8,
    confidence: 0.6,
    evidence: [evidence(first, skill?.text ?? '')],
  };
});

/** Ends inside a sentence although its other sentences are closed. */
export function breaksOff(text: string): boolean {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1)?.trim() ?? '';
  // Announces something that does not come.
  if (/:$/.test(last)) return true;
  if (last === '' || /[.!?)\]}`"'>|]$/.test(last) || /^#/.test(last)) return false;
  const closed = lines.slice(0, -1).filter((line) => /[.!?:)\]}`"'>|]$/.test(line.trim())).length;
  const isCutWord = /\b(the|a|an|to|of|and|or|with|for|in|on|is|then|that|it|from|by|as|at|if|when)$/i.test(last);
  return isCutWord || (lines.length > 1 ? closed * 2 > lines.length - 1 : /[.!?]\s/.test(last));
}
