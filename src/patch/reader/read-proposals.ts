import { z } from 'zod';
import type { ReaderReply } from '../../critic/reader/critic-reader.ts';
import { type Checked, replyObject } from '../../critic/reader/reply-object.ts';

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

/** A reply as proposals, or why it is none. */
export function readProposals(reply: ReaderReply): Checked<{ proposals: WrittenProposal[] }> {
  return replyObject(reply, { key: 'proposals', schema: proposalsSchema, endMark: PROPOSALS_END_MARK });
}
