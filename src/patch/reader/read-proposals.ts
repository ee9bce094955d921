import { z } from 'zod';
import type { ReaderReply } from '../../critic/reader/critic-reader.ts';
import { wholeReply } from '../../critic/reader/whole-reply.ts';
import { jsonObjects } from '../../critic/written-calls.ts';

/** Last line of a whole answer. */
export const PROPOSALS_END_MARK = 'END OF PROPOSALS';

const share = z.number().min(0).max(1);
const proposalSchema = z.object({
  title: z.string().min(1).max(300),
  /** Number of the finding, from 1. */
  cause: z.number().int().min(1).nullable().default(null),
  edits: z
    .array(z.object({ path: z.string().min(1).max(400), old: z.json().optional(), new: z.json() }))
    .min(1)
    .max(16),
  predicted_fixes: share.nullable().default(null),
  predicted_regressions: share.nullable().default(null),
  predicted_cost: z.number().min(-1).max(100).nullable().default(null),
});
const proposalsSchema = z.object({ proposals: z.array(proposalSchema).max(32) });
/** One change as a reader writes it. */
export type WrittenProposal = z.output<typeof proposalSchema>;

export type CheckedProposals = { ok: true; proposals: WrittenProposal[] } | { ok: false; why: string };

/** A reply as proposals, or why it is none: cut by length, an open think block, no end mark, no JSON of the asked form. Nothing of a refused reply is used. */
export function readProposals(reply: ReaderReply): CheckedProposals {
  const whole = wholeReply(reply, PROPOSALS_END_MARK);
  if (!whole.ok) return whole;
  const objects = jsonObjects(whole.said).filter(({ value }) => 'proposals' in value);
  if (objects.length !== 1)
    return { ok: false, why: `the reply holds ${objects.length} JSON objects with proposals, expected one` };
  const checked = proposalsSchema.safeParse(objects[0]?.value);
  if (checked.success) return { ok: true, proposals: checked.data.proposals };
  const issues = checked.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || '(the object)'}: ${message}`);
  return { ok: false, why: `the JSON does not have the asked form: ${issues.join('; ')}` };
}
