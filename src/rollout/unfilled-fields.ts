import { nearest } from '../base/nearest.ts';
import type { PromptName } from '../harness/component-of-path.ts';
import type { Harness } from '../harness/harness.ts';
import { templateFields } from '../harness/template-fields.ts';
import type { TaskRow } from '../task/task.ts';

/** Fields that each prompt is filled with; `task` is given the fields of its task too. */
export const PROMPT_FIELDS: Readonly<Record<PromptName, readonly string[]>> = {
  system: ['tools', 'skills', 'facts'],
  task: ['problem', 'tools'],
  'final-turn': ['problem'],
  'tool-result': ['result', 'tool'],
  'error-feedback': ['problem', 'tool'],
  'tool-offer': ['json', 'name', 'description', 'parameters'],
  summary: ['dropped', 'problem'],
};

/**
 * Template fields that nothing fills, one sentence each with the nearest known field: the model is shown them as they stand. They may be meant (a prompt
 * about templates), so they are told and not refused. `tasks` are all tasks of the run: a field of any of them is known.
 */
export function unfilledFields(harness: Harness, tasks: readonly Pick<TaskRow, 'fields'>[]): string[] {
  const ofTasks = new Set(tasks.flatMap(({ fields }) => Object.keys(fields ?? {})));
  return Object.entries(PROMPT_FIELDS).flatMap(([name, fields]) => {
    const known = name === 'task' ? [...fields, ...ofTasks] : fields;
    return [...new Set(templateFields(harness.prompts[name] ?? ''))]
      .filter((field) => !known.includes(field))
      .map((field) => {
        const near = nearest(field, known);
        const hint = near === undefined ? '' : ` Did you mean {{${near}}}?`;
        return `prompts/${name}.md: nothing fills {{${field}}}, the model is shown it as it stands.${hint} Known here: ${known.join(', ')}.`;
      });
  });
}
