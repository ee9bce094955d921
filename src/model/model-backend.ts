import type { ContentHash } from '../base/content-hash.ts';

/** One turn of a conversation as the chat template sees it. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Native calls of an assistant turn; their `arguments` must be the JSON of an object, or servers refuse every later request. */
  calls?: NativeCall[];
  /** The native call that a `tool` turn answers. */
  callId?: string;
}

/** A tool call in the server's own protocol. `arguments` is the text that the model wrote: mostly JSON. */
export interface NativeCall {
  id: string;
  name: string;
  arguments: string;
}

/** A tool as a server is offered it. */
export interface NativeTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

export interface Sampling {
  /** 0 = greedy. */
  temperature: number;
  /** Nucleus mass in (0, 1]; 1 = off. */
  topP: number;
  /** Keep the k likeliest tokens; 0 = off. */
  topK: number;
}

export interface GenerationRequest {
  messages: readonly ChatMessage[];
  sampling: Sampling;
  /** Same request and seed → same text wherever the engine can promise it. 32-bit, unsigned. */
  seed: number;
  /** Most tokens to generate, ≥ 1. */
  maxTokens: number;
  /** Text that ends the generation; it is not part of `text`. */
  stop: readonly string[];
  /** Offered in the server's own protocol; absent where calls are text. Only for backends with `nativeTools`. */
  tools?: readonly NativeTool[];
  /** False: the model is shown the tools of earlier turns but must not call any. Default true. */
  mayCall?: boolean;
  signal?: AbortSignal;
}

export interface TokenUsage {
  /** Tokens of the rendered prompt, reused prefix included. */
  promptTokens: number;
  completionTokens: number;
  /** Upper estimates, in a sum of some of its parts: the server told no numbers. Absent where all was counted. */
  isEstimated?: true;
}

export type FinishReason = 'end' | 'stop-text' | 'length' | 'window';

/**
 * `end`: the model sampled its own end token. `stop-text`: a stop string ended it. `length`: `maxTokens` reached. `window`: the context
 * had no room left (the prompt may not even have fitted: then `text` is empty).
 */
export interface Generation {
  text: string;
  finishReason: FinishReason;
  usage: TokenUsage;
  /** Native calls of the reply, in order; absent without. */
  calls?: readonly NativeCall[];
  /** What the chat template rendered; undefined where the engine does not tell. */
  renderedPrompt?: string;
  /** Exactly the ids that were evaluated and sampled, own end token included; undefined for engines that declare `none`. */
  promptTokenIds?: readonly number[];
  completionTokenIds?: readonly number[];
  /** The model name that the engine says it used. */
  modelEcho?: string;
}

/** Base weights and at most one adapter: what `θ` means. */
export interface ModelIdentity {
  /** Hash of the base weights' file, or of `{server, model}` for a remote engine. */
  base: ContentHash;
  /** Hash of the adapter file; null = base alone. */
  adapter: ContentHash | null;
}

/**
 * An engine that generates under one `θ`. Never retries: retry belongs to φ. Concurrent calls are welcome: the engine batches
 * what is in flight.
 *
 * `generate` rejects with {@link ProviderError} for infrastructure (server down, 401, engine crash: never a score), with
 * AbortedError when `signal` fires, and with nothing else.
 */
export interface ModelBackend {
  readonly identity: ModelIdentity;
  /** `exact`: token ids accompany every generation and may be trained on. */
  readonly tokenIds: 'exact' | 'none';
  /** Tokens of prompt + completion that one call can hold. */
  readonly windowTokens: number;
  /** Calls worth having in flight at once. */
  readonly concurrency: number;
  /** Whether requests may offer `tools`; absent = no. */
  readonly nativeTools?: boolean;
  generate(request: GenerationRequest): Promise<Generation>;
  close(): Promise<void>;
}
