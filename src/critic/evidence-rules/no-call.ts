import type { Harness } from '../../harness/harness.ts';
import { eventsOf, evidence } from '../event-evidence.ts';
import { evidenceRule } from '../evidence-rule.ts';
import { writtenCalls } from '../written-calls.ts';
import { replyWithoutCall } from './call-in-other-form.ts';

/** Tools were offered and the reply goes on without any: nothing shows or demands a call. */
export const noCall = evidenceRule('no-call', 'prompt_ambiguity', (trajectory, harness) => {
  if (eventsOf(trajectory, 'tool-returned').length > 0) return null;
  const reply = replyWithoutCall(trajectory)[0];
  if (reply === undefined) return null;
  const isToldHow = saysHowToCall(harness) && harness.examples.length === 0;
  return {
    component: isToldHow ? 'example' : 'prompt',
    path: isToldHow ? 'examples' : 'prompts/system.md',
    explanation: isToldHow
      ? 'The prompt says how a call is written, nothing shows one, and the reply holds none.'
      : 'Tools were offered and the reply holds no call: instructions and examples do not make the model call.',
    severity: 1,
    confidence: 0.8,
    evidence: [evidence(reply, reply.text)],
  };
});

function saysHowToCall({ prompts, tools, settings }: Harness): boolean {
  const text = `${prompts.system ?? ''}\n${prompts.task ?? ''}`;
  const { open } = settings.protocol.dialect;
  const isShown =
    writtenCalls(
      text,
      tools.map(({ name }) => name),
    ).length > 0;
  return (
    isShown ||
    (open !== '' && tools.some(({ name }) => text.includes(open.replaceAll('{tool}', name)))) ||
    /"name"\s*:/.test(text)
  );
}
