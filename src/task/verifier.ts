import type { ContentHash } from '../base/content-hash.ts';
import type { TokenUsage } from '../model/model-backend.ts';
import type { Task } from './task.ts';

/**
 * `score` in [0, 1]. `extracted`: what was compared, null when the final text held no answer. `unscored`: the verifier
 * itself could not run (infrastructure): there is no score, and that is not 0. `mayBeAnswer`: it ran, and another answer might have got a verdict.
 */
export type Verdict = (
  | { kind: 'scored'; score: number; extracted: string | null; why: string }
  | { kind: 'unscored'; why: string; mayBeAnswer?: true }
) & {
  /** What a model that judged has used; absent for verifiers without one. */
  usage?: VerifierUsage;
};

export interface VerifierUsage extends TokenUsage {
  calls: number;
}

/**
 * Judges a final answer. Never rejects. `version` changes whenever a verdict could. `signal` ends what takes long: nobody reads the verdict then.
 */
export interface Verifier {
  readonly version: ContentHash;
  /** A claim about the sealed test must not rest on it. */
  readonly refusesSealed?: true;
  verify(task: Task, answer: string | null, signal?: AbortSignal): Promise<Verdict>;
}
