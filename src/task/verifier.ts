import type { ContentHash } from '../base/content-hash.ts';
import type { Task } from './task.ts';

/**
 * `score` in [0, 1]. `extracted`: what was compared, null when the final text held no answer. `unscored`: the verifier
 * itself could not run (infrastructure): there is no score, and that is not 0.
 */
export type Verdict =
  | { kind: 'scored'; score: number; extracted: string | null; why: string }
  | { kind: 'unscored'; why: string };

/** Judges a final answer. Never rejects. `version` changes whenever a verdict could. */
export interface Verifier {
  readonly version: ContentHash;
  verify(task: Task, answer: string | null): Promise<Verdict>;
}
