import { evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { firstRequest, holds, sentText } from '../sent-text.ts';

/** The problem of the task stands nowhere in what was sent: the model answered a question it never saw. */
export const taskNotShown = evidenceRule('task-not-shown', 'prompt_ambiguity', (trajectory, harness) => {
  const first = firstRequest(trajectory);
  if (first === undefined || trajectory.problem.trim() === '' || holds(sentText(first), trajectory.problem))
    return null;
  const template = harness.prompts.task ?? '';
  if (/\{\{\s*problem\s*\}\}/.test(template)) return null;
  return {
    component: 'prompt',
    path: 'prompts/task.md',
    explanation: 'The problem of the task is not part of the request.',
    severity: 1,
    confidence: 0.97,
    evidence: [evidence(first, first.messages.at(-1)?.content || '(empty message)')],
    repair: [{ path: 'prompts/task.md', old: template, value: `${template.trim()}\n{{problem}}\n`.trimStart() }],
  };
});
