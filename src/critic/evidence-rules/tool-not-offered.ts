import type { Harness } from '../../harness/harness.ts';
import { evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { firstRequest, sentText } from '../sent-text.ts';
import { toolNames } from '../tool-names.ts';

/** Tools were at hand, but the request that was sent names none of them: the model could not know. */
export const toolNotOffered = evidenceRule('tool-not-offered', 'prompt_ambiguity', (trajectory, harness) => {
  const first = firstRequest(trajectory);
  const hasTrouble = trajectory.events.some(({ type }) => type === 'no-call' || type === 'call-unreadable');
  if (first === undefined || !hasTrouble) return null;
  // In a server's own protocol tools are offered beside the messages.
  if ((first.offered ?? []).length > 0) return null;
  const sent = sentText(first);
  if (toolNames(trajectory, harness).some((name) => sent.includes(name))) return null;
  const path = missingPlace(harness);
  const old = harness.prompts[path.slice('prompts/'.length, -'.md'.length)] ?? '';
  const field = path === 'prompts/tool-offer.md' ? '{{json}}' : '{{tools}}';
  return {
    component: 'prompt',
    path,
    explanation: 'No tool of the harness is named anywhere in the request.',
    severity: 1,
    confidence: 0.95,
    evidence: [evidence(first, sent || '(empty request)')],
    repair: [{ path, old, value: `${old.trim()}\n${field}\n`.trimStart() }],
  };
});

/** The offer is made by the template of one tool, inside whatever prompt holds the list. */
function missingPlace({ prompts }: Harness): string {
  const isListed = [prompts.system, prompts.task].some((text) => /\{\{\s*tools\s*\}\}/.test(text ?? ''));
  return isListed ? 'prompts/tool-offer.md' : 'prompts/system.md';
}
