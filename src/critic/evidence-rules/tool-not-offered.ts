import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';

/** φ has tools, but the request that was sent names none of them: the model could not know. */
export const toolNotOffered = evidenceRule('tool-not-offered', 'tool_schema_error', (trajectory, harness) => {
  const first = eventsOf(trajectory, 'model-called').find((event) => event.turnKind === 'working');
  if (first === undefined || harness.tools.length === 0) return null;
  const sent = first.messages.map((message) => message.content).join('\n');
  if (harness.tools.some((tool) => sent.includes(tool.name))) return null;
  return {
    component: 'prompt',
    path: 'prompts/tool-offer.md',
    explanation: 'No tool of the harness is named anywhere in the request.',
    severity: 1,
    confidence: 0.95,
    evidence: [evidence(first, sent)],
  };
});
