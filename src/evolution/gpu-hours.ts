import type { RunConfig } from './run-config.ts';

export type EstimateAssumptions = NonNullable<RunConfig['estimate']>;

export interface GpuHours {
  /** Prompt and generated tokens of all rollouts. */
  promptTokens: number;
  completionTokens: number;
  /** Sequences at once: as many as are asked for and fit into memory beside the weights; 0: the weights themselves do not fit, and every hour is null. */
  sequences: number;
  /** Generated tokens per second of the whole machine with that many sequences. */
  tokensPerSecond: number | null;
  /** GPU hours: seconds × GPUs / 3,600. */
  generating: number | null;
  reading: number | null;
  training: number | null;
}

/** Share of GPU memory that a server takes for weights and cache. */
const MEMORY_SHARE = 0.9;
/** Floating-point operations per parameter and token: forward pass, and forward with backward pass. */
const FORWARD = 2;
const FORWARD_AND_BACKWARD = 6;

/**
 * Roofline estimate. One decoding step reads the weights once and the cache of every sequence; it takes the time of these bytes at the assumed share of
 * the bandwidth, or of its arithmetic where that is longer. Reading prompts and training are arithmetic alone. The context of a sequence counts with its mean
 * length over the generation. Loading, idle GPUs, tools and stragglers are not in it. Pure. Source: Williams, Waterman & Patterson, CACM 52 (2009).
 */
export function gpuHours(
  assumed: EstimateAssumptions,
  work: { rollouts: number; trainingTokens: number; mostSequences: number },
): GpuHours {
  const { weights, machine } = assumed;
  const parameters = weights.billions * 1e9;
  const weightBytes = parameters * weights.bytesEach;
  const cacheBytes = 2 * weights.layers * weights.keyValueHeads * weights.headSize * weights.bytesEach;
  const context = assumed.promptTokens + assumed.completionTokens / 2;
  const room = MEMORY_SHARE * machine.gpus * machine.memoryGigabytes * 1e9 - weightBytes;
  const sequences = Math.max(0, Math.min(work.mostSequences, Math.floor(room / (cacheBytes * context))));
  const tokens = {
    promptTokens: work.rollouts * assumed.promptTokens,
    completionTokens: work.rollouts * assumed.completionTokens,
  };
  if (sequences === 0)
    return { ...tokens, sequences, tokensPerSecond: null, generating: null, reading: null, training: null };
  const bytesPerSecond = machine.gpus * machine.bandwidthGigabytes * 1e9 * machine.efficiency;
  const operationsPerSecond = machine.gpus * machine.teraflops * 1e12 * machine.efficiency;
  const stepSeconds = Math.max(
    (weightBytes + sequences * cacheBytes * context) / bytesPerSecond,
    (sequences * FORWARD * parameters) / operationsPerSecond,
  );
  const hours = (seconds: number) => (seconds * machine.gpus) / 3600;
  return {
    ...tokens,
    sequences,
    tokensPerSecond: sequences / stepSeconds,
    generating: hours((tokens.completionTokens * stepSeconds) / sequences),
    reading: hours((tokens.promptTokens * FORWARD * parameters) / operationsPerSecond),
    training: hours((work.trainingTokens * FORWARD_AND_BACKWARD * parameters) / operationsPerSecond),
  };
}
