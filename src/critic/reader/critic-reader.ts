import type { TokenUsage } from '../../model/model-backend.ts';

/** What a reader gave back. `usage` is absent where nobody counts tokens. `isComplete`: it ended by itself, no length limit cut it. `failed`: there is no answer; `why` is for people. */
export type ReaderReply =
  | { kind: 'text'; text: string; isComplete: boolean; usage?: TokenUsage }
  | { kind: 'failed'; why: string };

/** Anything that reads a prompt and answers with text: a model, a program, a person with an editor. */
export interface CriticReader {
  readonly name: string;
  /** Characters of a prompt it can take. */
  readonly promptCharacters: number;
  /** Questions worth having in flight at once. */
  readonly concurrency: number;
  /**
   * `vote` tells repeated questions apart, so that a sampling reader answers each anew. Rejects with AbortedError, or with CoHarnessError
   * `budget-spent` where a budget stops it; everything else that goes wrong is a `failed` reply.
   */
  read(prompt: string, options: { vote: number; signal?: AbortSignal }): Promise<ReaderReply>;
  close(): Promise<void>;
}
