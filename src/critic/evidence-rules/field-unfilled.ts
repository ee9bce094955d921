import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** A template field reached the model as it was written: nothing fills a field of that name. */
export const fieldUnfilled = evidenceRule('field-unfilled', 'prompt_ambiguity', (trajectory, harness) => {
  for (const call of eventsOf(trajectory, 'model-called')) {
    for (const [name, template] of Object.entries(harness.prompts)) {
      const fields = [...template.matchAll(/\{\{\s*[\w.-]+\s*\}\}/g)].map(([field]) => field);
      const left = fields.find((field) =>
        call.messages.some(({ content, role }) => role !== 'assistant' && content.includes(field)),
      );
      if (left === undefined || trajectory.problem.includes(left)) continue;
      return {
        component: 'prompt',
        path: `prompts/${name}.md`,
        explanation: `The field ${left} of prompts/${name}.md was sent as it stands: nothing fills it.`,
        severity: 1,
        confidence: 0.95,
        evidence: [evidence(call, template)],
      };
    }
  }
  return null;
});
