import type { Harness } from '../../harness/harness.ts';
import { DEFAULT_PROMPTS } from '../../harness/parse-harness.ts';
import { hasField } from '../../harness/template-fields.ts';
import { fileEdit, present } from '../harness-edits.ts';
import type { PatchOperator } from '../patch-operator.ts';
import { OWN_FIELD } from './own-field.ts';

/** Prompts from which alone the model learns the task, a tool's result, and what was wrong with a call. */
const SOLE_SOURCES = ['task', 'tool-result', 'error-feedback'] as const;

/** Lets a prompt show what it is there for: the task, a tool's result, what was wrong with a call. */
export const showField: PatchOperator = {
  name: 'show-field',
  reach: (_cluster, harness) => (blindPrompts(harness).length > 0 ? 0.9 : 0),
  propose: ({ harness }) =>
    blindPrompts(harness).map((name) => ({
      title: `let prompts/${name}.md show {{${OWN_FIELD[name]}}}`,
      edits: present([fileEdit(harness, `prompts/${name}.md`, `${DEFAULT_PROMPTS[name]}\n`)]),
      component: 'prompt' as const,
      probe: { kind: 'prompt-changed' as const },
      promise: 1,
    })),
};

function blindPrompts({ prompts }: Harness) {
  return SOLE_SOURCES.filter((name) => !hasField(prompts[name] ?? '', OWN_FIELD[name]));
}
