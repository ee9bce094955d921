import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolNames } from '../tool-names.ts';

/** Tools were at hand, but the request that was sent names none of them: the model could not know. */
export const toolNotOffered = evidenceRule('tool-not-offered', 'tool_schema_error', (trajectory, harness) => {
  const first = eventsOf(trajectory, 'model-called').find((event) => event.turnKind === 'working');
  if (first === undefined || eventsOf(trajectory, 'no-call').length === 0) return null;
  const sent = first.messages.map((message) => message.content).join('\n');
  if (toolNames(trajectory, harness).some((name) => sent.includes(name))) return null;
  return {
    component: 'prompt',
    path: 'prompts/tool-offer.md',
    explanation: 'No tool of the harness is named anywhere in the request.',
    severity: 1,
    confidence: 0.95,
    evidence: [evidence(first, sent)],
  };
});
