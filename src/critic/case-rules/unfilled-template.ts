import { type CaseRule, quoteOf, stepsOf } from './case-rule.ts';

const FIELD = /\{\{\s*[\w.-]+\s*\}\}|(?<![\w{$"'])\{[a-z][\w.]*\}(?!\})|\$\{[\w.]+\}|<<[\w.-]+>>|%\([a-z]\w*\)s/i;

/** A template field reached the model as it stands in the prompt: nothing filled it. */
export const unfilledTemplate: CaseRule = {
  name: 'unfilled-template',
  clues: ({ failing, facts }) => {
    const fields = facts.prompts.flatMap(({ path, text }) => {
      const field = FIELD.exec(text)?.[0];
      return field === undefined ? [] : [{ path, text, field }];
    });
    for (const run of failing) {
      for (const { path, text, field } of fields) {
        const step = stepsOf(run, 'system', 'user').find(({ content }) => content.includes(field));
        if (step === undefined || run.task.includes(field)) continue;
        return [
          {
            label: 'prompt_ambiguity',
            component: 'prompt',
            path,
            mechanism: 'field-unfilled',
            explanation: `The prompt was sent with ${field} in it: nothing fills this field.`,
            weight: 3,
            evidence: [quoteOf(step.event, step.content)],
            repair: [{ path, old: text, new: text.replace(field, 'the field that the loop fills') }],
          },
        ];
      }
    }
    return [];
  },
};
