import type { ContentHash } from '../base/content-hash.ts';
import { AbortedError } from '../base/errors.ts';
import { type GgufPrompts, ggufPrompts } from './gguf-prompts.ts';
import type { Generation, GenerationRequest, ModelBackend } from './model-backend.ts';
import { ProviderError } from './provider-error.ts';
import { borrowLlamaModel } from './shared-llama-models.ts';
import { stopText } from './stop-text.ts';
import { startTorchProcess, type TorchCompletion, type TorchProcess } from './torch-backend-process.ts';

export interface TorchOptions {
  /** Interpreter with the trainer's packages. */
  python: string;
  /** Environment of the process; PYTHONPATH must lead to `coharness_trainer`. */
  environment: NodeJS.ProcessEnv;
  /** A GGUF file of a Llama model with a chat template, and its SHA-256. */
  base: { path: string; hash: ContentHash };
  /** A PEFT folder made for this base; `hash` is the adapter's identity. */
  adapter?: { folder: string; hash: ContentHash };
  /** Sequences in one batch; default 96. Throughput grows with them, see docs/decisions/inference-torch.md. */
  slots?: number;
  /** Tokens of prompt + completion that one call can hold; default 2048, less where the model was made for less. */
  windowTokens?: number;
  /** CPU threads; default: what PyTorch chooses (the physical cores). */
  threads?: number;
  /** Replaces the chat template of the GGUF file (Jinja). */
  chatTemplate?: string;
}

/**
 * PyTorch in a child process, with the trainer's own de-quantised weights and the adapter merged into them. All calls in flight share one
 * batch, and a prompt prefix that several of them share is evaluated and stored once. Token ids are exact, tokenised by llama.cpp as in
 * {@link openLlamaCppBackend}. Throws {@link CoHarnessError}: codes of {@link borrowLlamaModel} and {@link ggufPrompts},
 * `torch-engine-failed`.
 */
export async function openTorchBackend(options: TorchOptions): Promise<ModelBackend> {
  const { model, release } = await borrowLlamaModel(options.base.path, false, 'vocabulary');
  try {
    const prompts = ggufPrompts(model, options.base.path, options.chatTemplate);
    const slots = options.slots ?? 96;
    const engine = await startTorchProcess({
      python: options.python,
      environment: options.environment,
      opening: {
        base: { gguf: options.base.path, hash: options.base.hash },
        adapter: options.adapter?.folder ?? null,
        slots,
        windowTokens: options.windowTokens ?? 2048,
        threads: options.threads ?? 0,
        endTokens: [...model.iterateAllTokens()].filter((token) => prompts.vocabulary.isEnd(token)),
      },
    });
    let closing: Promise<void> | undefined;
    return {
      identity: { base: options.base.hash, adapter: options.adapter?.hash ?? null },
      tokenIds: 'exact',
      windowTokens: engine.windowTokens,
      // A few more than there are slots, so that a free one always finds work.
      concurrency: slots + Math.ceil(slots / 4),
      generate: async (request) => {
        if (closing !== undefined) {
          throw new ProviderError('engine', 'The model backend is closed; open it again to generate.');
        }
        return generate(request, { prompts, engine, modelName: model.filename });
      },
      close: () => {
        closing ??= engine.close().then(release);
        return closing;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

interface Generator {
  prompts: GgufPrompts;
  engine: TorchProcess;
  modelName: string | undefined;
}

async function generate(request: GenerationRequest, { prompts, engine, modelName }: Generator): Promise<Generation> {
  if (request.signal?.aborted) throw new AbortedError();
  const { text: renderedPrompt, tokens: prompt } = prompts.prepare(request.messages);
  const completion: TorchCompletion =
    prompt.length >= engine.windowTokens
      ? { tokens: [], finish: 'window' }
      : await completeUnlessAborted(engine, request, prompt);
  return {
    text: shownText(completion, request.stop, prompts),
    finishReason: completion.finish,
    usage: { promptTokens: prompt.length, completionTokens: completion.tokens.length },
    renderedPrompt,
    promptTokenIds: prompt,
    completionTokenIds: completion.tokens,
    ...(modelName === undefined ? {} : { modelEcho: modelName }),
  };
}

async function completeUnlessAborted(
  engine: TorchProcess,
  request: GenerationRequest,
  prompt: readonly number[],
): Promise<TorchCompletion> {
  const { maxTokens, seed, stop, signal, sampling } = request;
  try {
    return await engine.complete({ prompt, maxTokens, seed, stop, ...sampling }, signal);
  } catch (error) {
    if (signal?.aborted) throw new AbortedError();
    throw error;
  }
}

function shownText({ tokens, finish }: TorchCompletion, stop: readonly string[], { vocabulary }: GgufPrompts): string {
  if (finish === 'end') return vocabulary.decode(tokens.slice(0, -1));
  const whole = vocabulary.decode(tokens);
  return finish === 'stop-text' ? (stopText(stop, vocabulary.decode).cut(tokens) ?? whole) : whole;
}
