import type { Harness } from '../../harness/harness.ts';
import { DEFAULT_PROMPTS } from '../../harness/parse-harness.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';

/** Field without which a prompt hides what it is there to show. */
const NEEDED = { task: 'problem', 'tool-result': 'result', 'error-feedback': 'problem' } as const;

/** Lets a prompt show what it is there for: the task, a tool's result, what was wrong with a call. */
export const showField: PatchOperator = {
  name: 'show-field',
  reach: (_cluster, harness) => (blindPrompts(harness).length > 0 ? 0.9 : 0),
  propose: ({ harness }) =>
    blindPrompts(harness).map((name) => ({
      title: `let prompts/${name}.md show {{${NEEDED[name]}}}`,
      edits: present([fileEdit(harness, `prompts/${name}.md`, `${DEFAULT_PROMPTS[name]}\n`)]),
      component: 'prompt' as const,
      probe: { kind: 'prompt-changed' as const },
      promise: 1,
    })),
};

function blindPrompts({ prompts }: Harness): (keyof typeof NEEDED)[] {
  return (Object.keys(NEEDED) as (keyof typeof NEEDED)[]).filter((name) => {
    const field = new RegExp(`\\{\\{\\s*${NEEDED[name]}\\s*\\}\\}`);
    return !field.test(prompts[name] ?? '');
  });
}
