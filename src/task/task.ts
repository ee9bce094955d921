import { z } from 'zod';
import { type ContentHash, contentHash } from '../base/content-hash.ts';

export const SPLITS = ['train', 'gate', 'test'] as const;
/** `train`: failures are read and SFT data is made here. `gate`: decisions. `test`: sealed, final report only. */
export type Split = (typeof SPLITS)[number];

/** A worked solution somebody supplied: tool calls in order, then the final text. Only ever read for `train` tasks. */
export const referenceSolutionSchema = z.strictObject({
  calls: z.array(z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.unknown()) })),
  text: z.string().optional(),
});
export type ReferenceSolution = z.output<typeof referenceSolutionSchema>;

/** One line of a task file. Unknown extra fields are ignored. */
export const taskSchema = z.object({
  id: z.string().min(1),
  problem: z.string().min(1),
  /** JSON; what it means is up to the verifier. */
  answer: z.json(),
  /** Near-copies share a group; without it, near-duplicate clustering decides. */
  group: z.string().optional(),
  reference: referenceSolutionSchema.optional(),
  /** Extra named values that prompts/task.md may show, e.g. the tools offered for this task only. */
  fields: z.record(z.string(), z.json()).optional(),
  /** When the problem became public: YYYY, YYYY-MM or YYYY-MM-DD. Says which weights may have been trained on it; no part of the content. */
  publishedOn: z
    .string()
    .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/, 'expected a date such as 2024, 2024-02 or 2024-02-07')
    .optional(),
});
export type TaskRow = z.output<typeof taskSchema>;

export interface Task extends TaskRow {
  /** Content identity: problem, answer and fields. Independent of id, split and position. */
  hash: ContentHash;
  /** Unit of independence: cluster of near-duplicates. */
  group: string;
}

export function taskHash(row: Pick<TaskRow, 'problem' | 'answer' | 'fields'>): ContentHash {
  return contentHash({ problem: row.problem, answer: row.answer, fields: row.fields ?? {} });
}

/** The three splits. No group is in two of them. */
export type TaskSplits = Readonly<Record<Split, readonly Task[]>>;
