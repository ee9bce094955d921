import { z } from 'zod';
import { contentHash } from '../base/content-hash.ts';
import { AbortedError, CoHarnessError, errorMessage } from '../base/errors.ts';
import { withoutSecrets } from '../base/without-secrets.ts';
import { EndpointLimiter } from './endpoint-limiter.ts';
import { estimatedUsage } from './estimated-usage.ts';
import type {
  ChatMessage,
  FinishReason,
  Generation,
  GenerationRequest,
  ModelBackend,
  NativeCall,
  TokenUsage,
} from './model-backend.ts';
import { ProviderError } from './provider-error.ts';
import { isWindowOverflow, providerErrorOf } from './provider-response.ts';

export interface OpenAiCompatibleOptions {
  /** Base address, e.g. `http://127.0.0.1:8000/v1`. */
  url: string;
  model: string;
  /** Name of the environment variable that holds the key; without it no key is sent. */
  apiKeyVariable?: string;
  /** Default `process.env`. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Tokens of prompt + completion that the served model can hold; default 8192. */
  windowTokens?: number;
  /** Most requests on the way at once; default 8. Callers of one server share them: the largest number asked for counts. */
  concurrency?: number;
  /** No answer after so long counts as unreachable; default 10 minutes. */
  timeoutMs?: number;
}

/** Some servers leave the id or the arguments of a call out. */
const toolCallSchema = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.string().nullish() }),
});

const completionSchema = z.object({
  model: z.string().optional(),
  choices: z
    .array(
      z.object({
        // Loose: thinking that a server gives beside the content was generated too.
        message: z.looseObject({ content: z.string().nullish(), tool_calls: z.array(toolCallSchema).nullish() }),
        finish_reason: z.string().nullish(),
        /** vLLM: the stop string that ended it. */
        stop_reason: z.unknown().optional(),
      }),
    )
    .min(1),
  usage: z
    .object({ prompt_tokens: z.number().int().nonnegative(), completion_tokens: z.number().int().nonnegative() })
    .nullish(),
});
type Completion = z.output<typeof completionSchema>;

interface Endpoint {
  server: string;
  model: string;
  key: string | undefined;
  windowTokens: number;
  timeoutMs: number;
  limiter: EndpointLimiter;
  closed: AbortController;
}

/** Endpoints know one limit for all their callers, adapters and roles included. */
const limiters = new Map<string, EndpointLimiter>();

function limiterOf(server: string, concurrency: number): EndpointLimiter {
  const known = limiters.get(server);
  known?.widenTo(concurrency);
  const limiter = known ?? new EndpointLimiter(concurrency);
  limiters.set(server, limiter);
  return limiter;
}

/**
 * Chat completions of any server that speaks the OpenAI dialect. Gives no token ids. Never retries: a 429 rejects and holds all later calls to
 * the same server back for as long as it asked. Throws {@link CoHarnessError} `api-key-missing` when the named variable is empty.
 */
export function openAiCompatibleBackend(options: OpenAiCompatibleOptions): ModelBackend {
  const server = options.url.replace(/\/+$/, '');
  const concurrency = options.concurrency ?? 8;
  const endpoint: Endpoint = {
    server,
    model: options.model,
    key: readKey(options),
    windowTokens: options.windowTokens ?? 8192,
    timeoutMs: options.timeoutMs ?? 600_000,
    limiter: limiterOf(server, concurrency),
    closed: new AbortController(),
  };
  return {
    identity: { base: contentHash({ server, model: options.model }), adapter: null },
    tokenIds: 'none',
    windowTokens: endpoint.windowTokens,
    concurrency,
    nativeTools: true,
    generate: (request) => generate(endpoint, request),
    close: async () => endpoint.closed.abort(),
  };
}

function readKey(options: OpenAiCompatibleOptions): string | undefined {
  if (options.apiKeyVariable === undefined) return undefined;
  const key = (options.environment ?? process.env)[options.apiKeyVariable];
  if (key !== undefined && key !== '') return key;
  throw new CoHarnessError(
    'api-key-missing',
    `The environment variable ${options.apiKeyVariable} is empty, but the configuration takes the key for ${options.url} from it. Set it and run again.`,
    { details: { variable: options.apiKeyVariable } },
  );
}

async function generate(endpoint: Endpoint, request: GenerationRequest): Promise<Generation> {
  if (request.signal?.aborted) throw new AbortedError();
  await enter(endpoint, request.signal);
  let succeeded = false;
  try {
    const generation = await send(endpoint, request);
    succeeded = true;
    return generation;
  } catch (error) {
    if (error instanceof ProviderError && error.fault === 'rate-limited')
      endpoint.limiter.rateLimited(Number(error.details.retryAfterMs));
    throw error;
  } finally {
    endpoint.limiter.leave(succeeded);
  }
}

async function enter({ limiter, closed }: Endpoint, signal: AbortSignal | undefined): Promise<void> {
  try {
    await limiter.enter(signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]));
  } catch (error) {
    if (signal?.aborted || !closed.signal.aborted) throw error;
    throw new ProviderError('engine', 'The model backend is closed; open it again to generate.');
  }
}

async function send(endpoint: Endpoint, request: GenerationRequest): Promise<Generation> {
  const timeout = AbortSignal.timeout(endpoint.timeoutMs);
  const signals = [timeout, endpoint.closed.signal, ...(request.signal === undefined ? [] : [request.signal])];
  let response: Response;
  let body: string;
  try {
    response = await fetch(`${endpoint.server}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(endpoint.key === undefined ? {} : { authorization: `Bearer ${endpoint.key}` }),
      },
      body: JSON.stringify(requestBody(endpoint, request)),
      signal: AbortSignal.any(signals),
    });
    body = withoutSecrets(await response.text(), [endpoint.key]);
  } catch (cause) {
    if (request.signal?.aborted) throw new AbortedError();
    throw unreachable(endpoint, timeout.aborted, cause);
  }
  if (response.ok) return toGeneration(endpoint, request, body);
  const refused = { server: endpoint.server, status: response.status, headers: response.headers, body };
  if (isWindowOverflow(refused))
    return { text: '', finishReason: 'window', usage: { promptTokens: 0, completionTokens: 0 } };
  throw providerErrorOf(refused);
}

function requestBody(endpoint: Endpoint, request: GenerationRequest): Record<string, unknown> {
  return {
    model: endpoint.model,
    messages: request.messages.map(wireMessage),
    temperature: request.sampling.temperature,
    top_p: request.sampling.topP,
    // Not in OpenAI's own dialect, so only sent when it is on.
    ...(request.sampling.topK > 0 ? { top_k: request.sampling.topK } : {}),
    seed: request.seed,
    max_tokens: request.maxTokens,
    ...(request.stop.length > 0 ? { stop: request.stop } : {}),
    ...toolFields(request),
  };
}

function wireMessage({ role, content, calls, callId }: ChatMessage): Record<string, unknown> {
  // Servers accept the tool role only after a native tool call with the same id; results of calls in text are a user's turn.
  if (role === 'tool')
    return callId === undefined ? { role: 'user', content } : { role, content, tool_call_id: callId };
  if (calls === undefined || calls.length === 0) return { role, content };
  const toolCalls = calls.map(({ id, name, arguments: given }) => {
    return { id, type: 'function', function: { name, arguments: given } };
  });
  return { role, content, tool_calls: toolCalls };
}

function toolFields({ tools, mayCall = true }: GenerationRequest): Record<string, unknown> {
  if (tools === undefined || tools.length === 0) return {};
  const offered = tools.map((tool) => ({ type: 'function', function: tool }));
  return { tools: offered, ...(mayCall ? {} : { tool_choice: 'none' }) };
}

/** Calls of a reply with ids that are never empty: the results have to name them. */
function nativeCalls({ message }: Completion['choices'][number]): NativeCall[] {
  return (message.tool_calls ?? []).map((call, index) => ({
    id: call.id || `call-${index}`,
    name: call.function.name,
    arguments: call.function.arguments ?? '',
  }));
}

function toGeneration(endpoint: Endpoint, request: GenerationRequest, body: string): Generation {
  const completion = parseCompletion(endpoint, body);
  const choice = completion.choices[0] as Completion['choices'][number];
  if (choice.finish_reason === 'content_filter') {
    throw new ProviderError('bad-response', `${endpoint.server} withheld the reply (content_filter).`, {
      details: { server: endpoint.server },
    });
  }
  const usage = usageOf(completion, choice, request);
  return {
    text: choice.message.content ?? '',
    ...(request.tools === undefined ? {} : { calls: nativeCalls(choice) }),
    finishReason: finishReason(choice, usage, request, endpoint),
    usage,
    ...(completion.model === undefined ? {} : { modelEcho: completion.model }),
  };
}

/** What the server counted. A prompt of no tokens is a server that fills the fields in without counting. */
function usageOf(
  { usage }: Completion,
  { message, finish_reason: finish }: Completion['choices'][number],
  request: GenerationRequest,
): TokenUsage {
  if (usage != null && usage.prompt_tokens > 0)
    return { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens };
  const sent = { messages: request.messages.map(wireMessage), ...toolFields(request) };
  const estimate = estimatedUsage(JSON.stringify(sent), JSON.stringify(message));
  const { maxTokens } = request;
  return {
    ...estimate,
    completionTokens: finish === 'length' ? maxTokens : Math.min(maxTokens, estimate.completionTokens),
  };
}

function parseCompletion(endpoint: Endpoint, body: string): Completion {
  try {
    return completionSchema.parse(JSON.parse(body));
  } catch (cause) {
    throw new ProviderError(
      'bad-response',
      `${endpoint.server} answered with no chat completion: ${body.trim() === '' ? '(nothing)' : body.trim().slice(0, 300)}. Is it an OpenAI-compatible address (…/v1)?`,
      // A page of a proxy or an error of the server says nothing of what was asked.
      { cause, details: { server: endpoint.server, isForeign: true } },
    );
  }
}

function finishReason(
  choice: Completion['choices'][number],
  usage: Generation['usage'],
  request: GenerationRequest,
  endpoint: Endpoint,
): FinishReason {
  if (choice.finish_reason === 'length') {
    const isFull =
      usage.completionTokens < request.maxTokens &&
      usage.promptTokens + usage.completionTokens >= endpoint.windowTokens - 1;
    return isFull ? 'window' : 'length';
  }
  return typeof choice.stop_reason === 'string' ? 'stop-text' : 'end';
}

function unreachable(endpoint: Endpoint, timedOut: boolean, cause: unknown): ProviderError {
  const details = { server: endpoint.server };
  if (endpoint.closed.signal.aborted)
    return new ProviderError('engine', 'The model backend was closed during the request.', { details });
  const why = timedOut ? `no answer within ${endpoint.timeoutMs / 1000} s` : reason(cause);
  return new ProviderError(
    'unreachable',
    `${endpoint.server} cannot be reached: ${why}. Start the server or correct the address.`,
    { cause, details },
  );
}

/** `fetch` hides the system's error in the cause. */
function reason(error: unknown): string {
  const inner = error instanceof Error ? error.cause : undefined;
  return inner === undefined
    ? errorMessage(error)
    : `${errorMessage(error)} (${errorMessage(inner) || String((inner as { code?: unknown }).code)})`;
}
