import type { ContentHash } from '../../base/content-hash.ts';
import type { Demonstration } from '../demonstrations.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { OperatorContext, PatchOperator } from '../patch-operator.ts';

const PATH = 'skills/worked-routines/SKILL.md';
const CURES: Readonly<Record<string, number>> = {
  'routine-missing': 0.5,
  'turn-limit-on-call': 0.15,
  'identical-repeat': 0.15,
};
const MOST_ROUTINES = 5;
const LEAST_TASKS = 2;

/** Writes the sequences of calls that solved several train tasks down as a skill: which tool after which, with the arguments of one such task. */
export const addSkill: PatchOperator = {
  name: 'add-skill',
  reach: (cluster) =>
    cluster === null ? 0.15 : cluster.label === 'skill_missing' ? 0.5 : (CURES[cluster.mechanism] ?? 0),
  propose: (context) => {
    const routines = routinesOf(context);
    if (routines.length === 0 || context.harness.files.has(PATH)) return [];
    const text = `---\nname: worked-routines\ndescription: Calls that solved tasks before, in their order\n---\nWhat worked before:\n${routines.map(lineOf).join('\n')}\n`;
    const usesTasks = routines.map(({ task }): ContentHash => task);
    return [
      {
        title: `a skill with ${routines.length} routines that solved several tasks`,
        edits: present([fileEdit(context.harness, PATH, text)]),
        component: 'skill',
        probe: { kind: 'prompt-changed' },
        promise: 1,
        usesTasks,
      },
    ];
  },
};

/** One demonstration for each shape of at least two calls that several tasks share, most shared first. */
function routinesOf({ demonstrations }: OperatorContext): Demonstration[] {
  const shared = Map.groupBy(
    demonstrations.filter(({ steps }) => steps.filter(({ call }) => call !== undefined).length > 1),
    ({ shape }) => shape,
  );
  return [...shared.values()]
    .filter((group) => group.length >= LEAST_TASKS)
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_ROUTINES)
    .flatMap(([first]) => (first === undefined ? [] : [first]));
}

function lineOf({ steps }: Demonstration): string {
  const calls = steps.flatMap(({ call }) =>
    call === undefined ? [] : [`${call.tool} ${JSON.stringify(call.arguments)}`],
  );
  return `- ${calls.join(', then ')}`;
}
