import { contentHash } from '../base/content-hash.ts';
import { AbortedError, CoHarnessError, errorMessage } from '../base/errors.ts';
import type {
  FinishReason,
  Generation,
  GenerationRequest,
  ModelBackend,
  ModelIdentity,
  NativeCall,
} from './model-backend.ts';
import { ProviderError } from './provider-error.ts';

export interface ScriptedReply {
  text: string;
  /** Default: what `stop`, `maxTokens` and the window make of the text. */
  finishReason?: FinishReason;
  /** Native calls; only answered where tools are offered natively. */
  calls?: readonly NativeCall[];
  modelEcho?: string;
}

export interface ScriptedOptions {
  /** Must depend on the request alone. A thrown ProviderError passes through, anything else becomes an `engine` fault. */
  reply(request: GenerationRequest): string | ScriptedReply | Promise<string | ScriptedReply>;
  identity?: ModelIdentity;
  /** Default `exact`: a token is a Unicode code point, and the end token is {@link SCRIPTED_END_TOKEN}. */
  tokenIds?: ModelBackend['tokenIds'];
  /** Default true. */
  nativeTools?: boolean;
  /** Default 100 000. */
  windowTokens?: number;
  /** Default 4. */
  concurrency?: number;
}

/** One past the last code point. */
export const SCRIPTED_END_TOKEN = 0x110000;

/** A deterministic model for tests: says what a function says, under the same rules as a real engine. */
export function scriptedBackend(options: ScriptedOptions): ModelBackend {
  const windowTokens = options.windowTokens ?? 100_000;
  const tokenIds = options.tokenIds ?? 'exact';
  let isClosed = false;
  return {
    identity: options.identity ?? { base: contentHash('scripted model'), adapter: null },
    tokenIds,
    windowTokens,
    concurrency: options.concurrency ?? 4,
    nativeTools: options.nativeTools ?? true,
    generate: async (request) => {
      if (request.signal?.aborted) throw new AbortedError();
      if (isClosed) throw new ProviderError('engine', 'The model backend is closed; open it again to generate.');
      const reply = await unlessAborted(ask(options, request), request.signal);
      return toGeneration(request, typeof reply === 'string' ? { text: reply } : reply, windowTokens, tokenIds);
    },
    close: async () => {
      isClosed = true;
    },
  };
}

async function ask(options: ScriptedOptions, request: GenerationRequest): Promise<string | ScriptedReply> {
  try {
    return await options.reply(request);
  } catch (error) {
    if (error instanceof CoHarnessError) throw error;
    throw new ProviderError('engine', `The scripted model failed: ${errorMessage(error)}`, { cause: error });
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(new AbortedError());
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function toGeneration(
  request: GenerationRequest,
  reply: ScriptedReply,
  windowTokens: number,
  tokenIds: ModelBackend['tokenIds'],
): Generation {
  const renderedPrompt = `${request.messages.map(({ role, content }) => `<${role}>\n${content}\n`).join('')}<assistant>\n`;
  const promptTokens = countCodePoints(renderedPrompt);
  const { text, finishReason, tokens } = complete(request, reply, windowTokens - promptTokens);
  return {
    text,
    finishReason,
    usage: { promptTokens, completionTokens: tokens.length },
    renderedPrompt,
    ...(tokenIds === 'exact' ? { promptTokenIds: codePoints(renderedPrompt), completionTokenIds: tokens } : {}),
    ...(reply.calls === undefined || request.tools === undefined ? {} : { calls: reply.calls }),
    ...(reply.modelEcho === undefined ? {} : { modelEcho: reply.modelEcho }),
  };
}

function complete(
  request: GenerationRequest,
  reply: ScriptedReply,
  room: number,
): { text: string; finishReason: FinishReason; tokens: number[] } {
  if (room <= 0) return { text: '', finishReason: 'window', tokens: [] };
  if (reply.finishReason !== undefined) {
    const tokens = codePoints(reply.text);
    return {
      text: reply.text,
      finishReason: reply.finishReason,
      tokens: reply.finishReason === 'end' ? [...tokens, SCRIPTED_END_TOKEN] : tokens,
    };
  }
  const most = Math.min(request.maxTokens, room);
  const stop = earliestStop(reply.text, request.stop);
  const wanted =
    stop === undefined ? [...codePoints(reply.text), SCRIPTED_END_TOKEN] : codePoints(reply.text.slice(0, stop.end));
  if (wanted.length > most) {
    const tokens = wanted.slice(0, most);
    return {
      text: String.fromCodePoint(...tokens),
      finishReason: request.maxTokens <= room ? 'length' : 'window',
      tokens,
    };
  }
  return stop === undefined
    ? { text: reply.text, finishReason: 'end', tokens: wanted }
    : { text: reply.text.slice(0, stop.start), finishReason: 'stop-text', tokens: wanted };
}

/** The stop string that is complete first. */
function earliestStop(text: string, stops: readonly string[]): { start: number; end: number } | undefined {
  return stops
    .filter((stop) => stop !== '' && text.includes(stop))
    .map((stop) => ({ start: text.indexOf(stop), end: text.indexOf(stop) + stop.length }))
    .sort((a, b) => a.end - b.end)[0];
}

/** Without the list of them: prompts are long, and simulated worlds render millions. */
function countCodePoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function codePoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) as number);
}
