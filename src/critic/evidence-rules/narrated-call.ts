import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { toolNames } from '../tool-names.ts';
import { replyWithoutCall } from './call-in-other-form.ts';

/** The reply talks about using a tool, or tells what a tool is supposed to have said, and calls nothing. */
export const narratedCall = evidenceRule('narrated-call', 'prompt_ambiguity', (trajectory, harness) => {
  if (eventsOf(trajectory, 'tool-returned').length > 0) return null;
  const names = toolNames(trajectory, harness);
  const marker = resultMarker(harness.prompts['tool-result']);
  for (const reply of replyWithoutCall(trajectory)) {
    const invented = marker !== null && reply.text.includes(marker);
    const isNamed = names.some((name) =>
      new RegExp(`(^|[^\\w])${RegExp.escape(name)}($|[^\\w])`, 'i').test(reply.text),
    );
    if (!invented && !isNamed) continue;
    return {
      component: 'prompt',
      path: 'prompts/system.md',
      mechanism: invented ? 'invented-observation' : 'narrated-call',
      explanation: invented
        ? 'The reply makes up the result of a tool that never ran.'
        : 'The reply speaks of a tool instead of calling it: the instructions do not make clear what a call is.',
      severity: 1,
      confidence: 0.75,
      evidence: [evidence(reply, reply.text)],
    };
  }
  return null;
});

const SHORTEST_MARKER = 4;

/** The fixed text before the first template field of prompts/tool-result.md: only the harness writes it. */
function resultMarker(template: string | undefined): string | null {
  const fixed = (template ?? '').split('{')[0]?.trim() ?? '';
  return fixed.length >= SHORTEST_MARKER ? fixed : null;
}
