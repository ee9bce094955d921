import { availableParallelism } from 'node:os';
import type { LlamaContext, LlamaModel } from 'node-llama-cpp';
import type { ContentHash } from '../base/content-hash.ts';
import { AbortedError, CoHarnessError } from '../base/errors.ts';
import { completeOnSlot } from './complete-on-slot.ts';
import type { EvaluationSlot } from './evaluation-slot.ts';
import { type ContextActivity, fullBatches } from './full-batches.ts';
import { type GgufPrompts, ggufPrompts } from './gguf-prompts.ts';
import { llamaSlot } from './llama-slot.ts';
import type { Generation, GenerationRequest, ModelBackend } from './model-backend.ts';
import { PrefixSnapshots } from './prefix-snapshots.ts';
import { ProviderError } from './provider-error.ts';
import { SequencePool } from './sequence-pool.ts';
import { borrowLlamaModel, engineErrorMessage, type GpuChoice } from './shared-llama-models.ts';

export interface LlamaCppOptions {
  /** A GGUF file with a chat template. */
  modelPath: string;
  modelHash: ContentHash;
  /** A LoRA adapter as GGUF, made for this model. */
  adapter?: { path: string; hash: ContentHash };
  /** Most generations in flight at once, over all contexts; default 16. */
  sequences?: number;
  /** Tokens of prompt + completion that one call can hold; default 2048. Memory is reserved for all sequences. */
  windowTokens?: number;
  /** CPU threads; default: the machine's physical cores. */
  threads?: number;
  /** Contexts that share the model, each with its share of sequences and threads. Default: see docs/decisions/inference-batching.md. */
  contexts?: number;
  /** Default `auto`: a GPU when there is one. */
  gpu?: GpuChoice;
  /** Replaces the chat template of the GGUF file (Jinja). */
  chatTemplate?: string;
  /** Bytes of temporary files that may hold evaluated prompt prefixes; default 512 MiB, 0 = evaluate them in every sequence. */
  prefixCacheBytes?: number;
}

/**
 * llama.cpp in this process. Calls in flight share batches (continuous batching), backends of one file share its weights, and a long prompt
 * prefix is evaluated once. Token ids are exact. Throws {@link CoHarnessError}: codes of {@link borrowLlamaModel} and {@link ggufPrompts},
 * `adapter-unreadable`, `model-context-failed`.
 */
export async function openLlamaCppBackend(options: LlamaCppOptions): Promise<ModelBackend> {
  const { model, release } = await borrowLlamaModel(options.modelPath, options.gpu ?? 'auto');
  const contexts: LlamaContext[] = [];
  try {
    const prompts = ggufPrompts(model, options.modelPath, options.chatTemplate);
    const plan = planContexts(options, model);
    const slots: EvaluationSlot[] = [];
    for (const sequences of plan.sequences) {
      const activity = { running: 0 };
      const context = await createContext(model, options, { ...plan, sequences, activity });
      contexts.push(context);
      for (let index = 0; index < sequences; index++) slots.push(llamaSlot(context, activity));
    }
    const prefixCacheBytes = options.prefixCacheBytes ?? 512 * 2 ** 20;
    const snapshots = prefixCacheBytes > 0 ? new PrefixSnapshots(prefixCacheBytes) : null;
    const pool = new SequencePool(slots, snapshots);
    let closing: Promise<void> | undefined;
    return {
      identity: { base: options.modelHash, adapter: options.adapter?.hash ?? null },
      tokenIds: 'exact',
      windowTokens: plan.windowTokens,
      // A few more than there are sequences, so that a free one always finds work.
      concurrency: slots.length + Math.ceil(slots.length / 4),
      generate: async (request) => {
        if (closing !== undefined)
          throw new ProviderError('engine', 'The model backend is closed; open it again to generate.');
        const { windowTokens } = plan;
        return generate(request, { prompts, pool, windowTokens, modelName: model.filename });
      },
      close: () => {
        closing ??= close(pool, snapshots, contexts, release);
        return closing;
      },
    };
  } catch (error) {
    for (const context of contexts) await context.dispose();
    await release();
    throw error;
  }
}

interface Generator {
  prompts: GgufPrompts;
  pool: SequencePool;
  windowTokens: number;
  modelName: string | undefined;
}

async function generate(request: GenerationRequest, generator: Generator): Promise<Generation> {
  if (request.signal?.aborted) throw new AbortedError();
  const { text: renderedPrompt, tokens: prompt } = generator.prompts.prepare(request.messages);
  const known = {
    renderedPrompt,
    promptTokenIds: prompt,
    ...(generator.modelName === undefined ? {} : { modelEcho: generator.modelName }),
  };
  if (prompt.length >= generator.windowTokens) {
    const usage = { promptTokens: prompt.length, completionTokens: 0 };
    return { text: '', finishReason: 'window', usage, completionTokenIds: [], ...known };
  }
  const completion = await generator.pool.run(prompt, request.signal, (slot) =>
    completeOnSlot({
      slot,
      prompt,
      request,
      vocabulary: generator.prompts.vocabulary,
      windowTokens: generator.windowTokens,
    }),
  );
  return {
    text: completion.text,
    finishReason: completion.finishReason,
    usage: { promptTokens: prompt.length, completionTokens: completion.tokens.length },
    completionTokenIds: completion.tokens,
    ...known,
  };
}

interface ContextPlan {
  /** Sequences of each context. */
  sequences: readonly number[];
  threadsEach: number;
  windowTokens: number;
}

function planContexts(options: LlamaCppOptions, model: LlamaModel): ContextPlan {
  const threads = Math.max(1, options.threads ?? (model.llama.cpuMathCores || availableParallelism()));
  const total = Math.max(1, options.sequences ?? 16);
  const count = Math.min(total, Math.max(1, options.contexts ?? defaultContexts(model, threads, total)));
  return {
    sequences: Array.from({ length: count }, (_, index) => Math.floor(total / count) + (index < total % count ? 1 : 0)),
    threadsEach: Math.max(1, Math.floor(threads / count)),
    windowTokens: Math.min(options.windowTokens ?? 2048, model.trainContextSize),
  };
}

/**
 * On a CPU, contexts of one thread: two threads of one context wait for each other several hundred times a token, which on a machine with other
 * work costs up to 40 times the time (docs/decisions/inference-batching.md). A GPU wants one large batch.
 */
function defaultContexts(model: LlamaModel, threads: number, sequences: number): number {
  if (model.llama.gpu !== false) return 1;
  return Math.min(threads, 4, sequences);
}

async function createContext(
  model: LlamaModel,
  options: LlamaCppOptions,
  plan: { sequences: number; threadsEach: number; windowTokens: number; activity: ContextActivity },
): Promise<LlamaContext> {
  const { sequences } = plan;
  try {
    return await model.createContext({
      sequences,
      // One cell more than the window: the engine starts to forget the beginning when the last cell is taken.
      contextSize: plan.windowTokens + 1,
      threads: plan.threadsEach,
      batchSize: Math.max(512, sequences),
      batching: { itemPrioritizationStrategy: fullBatches(plan.activity) },
      failedCreationRemedy: false,
      // On a CPU, flash attention rounds differently with every batch size: greedy answers then depend on who else is in the batch.
      flashAttention: model.llama.gpu === false ? false : 'auto',
      ...(options.adapter === undefined ? {} : { lora: options.adapter.path }),
    });
  } catch (cause) {
    const { adapter } = options;
    throw adapter === undefined
      ? new CoHarnessError(
          'model-context-failed',
          `No context of ${sequences} × ${plan.windowTokens} tokens can be created: ${engineErrorMessage(cause)}. Lower the window or the number of sequences.`,
          { cause, details: { sequences, windowTokens: plan.windowTokens } },
        )
      : new CoHarnessError(
          'adapter-unreadable',
          `The adapter ${adapter.path} cannot be used with ${options.modelPath}: ${engineErrorMessage(cause)}. Export it again for exactly this base model.`,
          { cause, details: { adapter: adapter.path, model: options.modelPath } },
        );
  }
}

async function close(
  pool: SequencePool,
  snapshots: PrefixSnapshots | null,
  contexts: LlamaContext[],
  release: () => Promise<void>,
): Promise<void> {
  await pool.close();
  for (const context of contexts) await context.dispose();
  await snapshots?.close();
  await release();
}
