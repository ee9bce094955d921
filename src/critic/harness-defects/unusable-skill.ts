import type { HarnessFacts } from '../harness-facts/harness-facts.ts';
import type { HarnessDefect } from './harness-defect.ts';

const NAMED_SKILL =
  /\b(?:follow|use|apply|see|load|read|consult|according to|as in|run)\s+(?:the\s+)?(?:skill|routine|playbook|procedure|recipe|workflow|checklist|runbook)\s+[`"'“]?([A-Za-z][\w-]*)|[`"'“]?\b([A-Za-z][\w-]*(?:[-_][\w]+)+)[`"'”]?\s+(?:skill|routine|playbook|procedure|recipe|workflow|checklist|runbook)\b|\bskills\/([\w-]+)/gi;

/** Skills that hold nothing, and skills that φ tells the model to follow and does not have. */
export function unusableSkill({ prompts, skills, examples }: HarnessFacts): HarnessDefect[] {
  const empty: HarnessDefect[] = skills
    .filter(
      ({ text }) =>
        text
          .replace(/^---[\s\S]*?---/, '')
          .replace(/^#.*$/gm, '')
          .trim().length < 8,
    )
    .map(({ path, name, text }) => ({
      label: 'skill_missing',
      component: 'skill',
      path,
      mechanism: 'skill-is-empty',
      explanation: `The skill "${name}" holds no routine.`,
      confidence: 0.9,
      quotes: [{ path, quote: text || '(empty)' }],
      about: [name],
      repair: null,
    }));
  const names = new Set(skills.map(({ name }) => name.toLowerCase()));
  const texts = [...prompts, ...skills, ...examples.map(({ path, text }) => ({ path, text }))];
  const missing = texts.flatMap(({ path, text }) =>
    [...text.matchAll(NAMED_SKILL)].flatMap((match): HarnessDefect[] => {
      const name = match[1] ?? match[2] ?? match[3] ?? '';
      if (
        names.has(name.toLowerCase()) ||
        /^(the|a|an|this|that|your|of|in|for|to|below|above|step|steps)$/i.test(name)
      )
        return [];
      return [
        {
          label: 'skill_missing',
          component: 'skill',
          path: skills[0]?.path.replace(/[^/]+(\/SKILL\.md)?$/, name) ?? 'skills',
          mechanism: 'skill-named-but-missing',
          explanation: `φ tells the model to follow the skill "${name}", and there is none.`,
          confidence: 0.9,
          quotes: [{ path, quote: match[0] }],
          about: [name],
          repair: null,
        },
      ];
    }),
  );
  return [...empty, ...missing];
}
