import { fileEdit, present } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** A skill of that many characters can fill a window. */
const LONG_SKILL = 2000;

/** Takes a routine out, or its long part: what fills the window, or leads astray. Deletion needs no failure as its reason. */
export const dropSkill: PatchOperator = {
  name: 'drop-skill',
  reach: (cluster, { skills }) => {
    if (skills.length === 0) return 0;
    if (cluster === null) return 0.05;
    if (cluster.mechanism === 'prefix-fills-window')
      return skills.some(({ text }) => text.length > LONG_SKILL) ? 0.9 : 0.1;
    return cluster.label === 'skill_missing' ? 0.3 : 0;
  },
  propose: ({ harness }) =>
    harness.skills.flatMap(({ name, text }) => {
      const file = `skills/${name}/SKILL.md`;
      const kept = (harness.files.get(file) ?? '').split('\n').filter((line) => line.length <= LONG_SKILL);
      const isLong = text.length > LONG_SKILL;
      return [
        ...(isLong && kept.join('').trim() !== ''
          ? [
              {
                title: `remove the long lines of the skill ${name}`,
                edits: present([fileEdit(harness, file, `${kept.join('\n').trimEnd()}\n`)]),
                component: 'skill' as const,
                probe: { kind: 'prompt-changed' as const },
                promise: 1,
              },
            ]
          : []),
        {
          title: `remove the skill ${name}`,
          edits: present([fileEdit(harness, file, undefined)]),
          component: 'skill' as const,
          probe: { kind: 'prompt-changed' as const },
          promise: isLong ? 0.8 : 0.5,
        },
      ];
    }),
};
