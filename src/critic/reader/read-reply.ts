import { z } from 'zod';
import { COMPONENT_KINDS } from '../../harness/harness.ts';
import { ATTRIBUTION_LABELS } from '../attribution.ts';
import type { ReaderReply } from './critic-reader.ts';
import { type Checked, replyObject } from './reply-object.ts';

/** Last line of a whole answer. */
export const END_MARK = 'END OF DIAGNOSIS';

const text = (most: number) => z.string().min(1).max(most);
export const answerSchema = z.object({
  label: z.enum(ATTRIBUTION_LABELS),
  component: z.enum(COMPONENT_KINDS).nullable(),
  /** Where the harness would change; null for `agent_error`. */
  path: z.string().max(400).nullable(),
  mechanism: text(600),
  severity: z.number().gt(0).max(1),
  confidence: z.number().min(0).max(1),
  evidence: z
    .array(z.object({ event: text(200), quote: text(2_000) }))
    .min(1)
    .max(12),
  repair: z
    .array(z.object({ path: text(400), old: z.json().optional(), new: z.json() }))
    .max(16)
    .nullable(),
});
export type ReaderAnswer = z.output<typeof answerSchema>;

export type CheckedReply = Checked<ReaderAnswer>;

/** A reply as an answer, or why it is none; evidence that points at nothing (`events`: what there is to point at) is no evidence. See docs/critic.md. */
export function readReply(reply: ReaderReply, events: ReadonlySet<string>): CheckedReply {
  const object = replyObject(reply, { key: 'label', schema: answerSchema, endMark: END_MARK });
  return object.ok ? withinBounds(object.value, events) : object;
}

function withinBounds(answer: ReaderAnswer, events: ReadonlySet<string>): CheckedReply {
  const evidence = answer.evidence.filter(({ event }) => events.has(event));
  if (evidence.length === 0)
    return {
      ok: false,
      why: `the evidence points at nothing that was shown (${answer.evidence.map(({ event }) => event).join(', ')})`,
    };
  if (answer.label === 'agent_error')
    return { ok: true, value: { ...answer, evidence, component: null, path: null, repair: null } };
  if (answer.component === null) return { ok: false, why: `the label ${answer.label} names no component` };
  return { ok: true, value: { ...answer, evidence } };
}
