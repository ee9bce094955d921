import type { Sampling } from './model-backend.ts';

/**
 * One sequence of an engine: holds the evaluated state of `tokens` and continues from there. Not for concurrent use. Every method
 * may reject with whatever the engine throws; the state is unknown afterwards until `reset`.
 */
export interface EvaluationSlot {
  /** The tokens whose state is held, in order. */
  readonly tokens: readonly number[];
  /** Forgets everything after the first `length` tokens. */
  keep(length: number): Promise<void>;
  /** Appends tokens without sampling. */
  append(tokens: readonly number[]): Promise<void>;
  /** Appends tokens (≥ 1), then yields sampled tokens without end, own end token included, until the consumer stops. */
  sample(tokens: readonly number[], sampling: Sampling, seed: number): AsyncIterable<number>;
  /** Writes the held state to a file; resolves with its size in bytes. */
  save(file: string): Promise<number>;
  /** Replaces the held state by that of a file which a slot of the same weights has saved. */
  load(file: string): Promise<void>;
  /** Empty and usable again, after any failure. */
  reset(): Promise<void>;
}
