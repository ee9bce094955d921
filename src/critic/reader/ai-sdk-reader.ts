import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AbortedError, CoHarnessError, errorMessage } from '../../base/errors.ts';
import { seedFrom } from '../../base/random.ts';
import type { CriticReader } from './critic-reader.ts';
import { READER_SAMPLING, readerRoom } from './model-reader.ts';

/** What is used of the `ai` package (5 and later), which comes from where the model's file lies. */
interface AiSdk {
  generateText(options: Record<string, unknown>): Promise<{
    text: string;
    finishReason: string;
    usage: { inputTokens?: number | undefined; outputTokens?: number | undefined };
  }>;
}

const CONCURRENCY = 4;
const WINDOW_TOKENS = 32_768;

/**
 * Any model of the AI SDK as a reader. `file` (from `directory` on) is a module whose default export is the model; it may export its `windowTokens` (default
 * 32,768). Keys are the provider's affair. Throws CoHarnessError `invalid-critic` when the file has no such export or its folder has no `ai` package.
 */
export async function aiSdkReader(
  file: string,
  { directory, timeoutMs, seed = 1 }: { directory: string; timeoutMs: number; seed?: number },
): Promise<CriticReader> {
  const path = resolve(directory, file);
  const { model, windowTokens } = await loadModel(path);
  const { generateText } = await loadSdk(path);
  const { answerTokens, promptCharacters } = readerRoom(windowTokens);
  return {
    name: `ai-sdk:${basename(file)}:${nameOf(model)}`,
    promptCharacters,
    concurrency: CONCURRENCY,
    read: async (prompt, { vote, signal }) => {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const { text, finishReason, usage } = await generateText({
          model,
          prompt,
          maxOutputTokens: answerTokens,
          temperature: READER_SAMPLING.temperature,
          topP: READER_SAMPLING.topP,
          seed: seedFrom(seed, 'critic', vote),
          abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        });
        const { inputTokens, outputTokens } = usage;
        const isCounted = inputTokens !== undefined && outputTokens !== undefined;
        const counted = isCounted ? { usage: { promptTokens: inputTokens, completionTokens: outputTokens } } : {};
        return { kind: 'text', text, isComplete: finishReason === 'stop', ...counted };
      } catch (error) {
        if (signal?.aborted) throw new AbortedError();
        if (timeout.aborted) return { kind: 'failed', why: `${file} gave no answer within ${timeoutMs} ms` };
        return { kind: 'failed', why: errorMessage(error) };
      }
    },
    close: async () => {},
  };
}

async function loadModel(path: string): Promise<{ model: object | string; windowTokens: number }> {
  const loaded = await importing<{ default?: unknown; windowTokens?: unknown }>(pathToFileURL(path).href, path);
  const { default: model, windowTokens = WINDOW_TOKENS } = loaded;
  if ((typeof model !== 'object' && typeof model !== 'string') || model === null || model === '') {
    throw invalid(path, 'its default export is no model. Write: export default provider("model-name").');
  }
  if (typeof windowTokens !== 'number' || !(windowTokens >= LEAST_WINDOW)) {
    throw invalid(path, `its windowTokens is no number from ${LEAST_WINDOW} on.`);
  }
  return { model, windowTokens };
}

const LEAST_WINDOW = 4096;

async function loadSdk(path: string): Promise<AiSdk> {
  let address: string;
  try {
    address = pathToFileURL(createRequire(path).resolve('ai')).href;
  } catch {
    throw invalid(path, 'the package "ai" is not installed where it lies. Run npm install ai there.');
  }
  return importing<AiSdk>(address, path);
}

async function importing<T>(address: string, path: string): Promise<T> {
  try {
    return (await import(address)) as T;
  } catch (cause) {
    throw invalid(path, `it cannot be loaded: ${errorMessage(cause)}`, cause);
  }
}

function nameOf(model: object | string): string {
  if (typeof model === 'string') return model;
  const { provider, modelId } = model as { provider?: unknown; modelId?: unknown };
  return [provider, modelId].filter((part) => typeof part === 'string').join('/') || 'model';
}

function invalid(path: string, why: string, cause?: unknown): CoHarnessError {
  return new CoHarnessError('invalid-critic', `ai-sdk:${path}: ${why}`, { details: { file: path }, cause });
}
