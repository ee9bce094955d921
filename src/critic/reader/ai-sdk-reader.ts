import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AbortedError, CoHarnessError, errorMessage } from '../../base/errors.ts';
import { seedFrom } from '../../base/random.ts';
import { withoutSecrets } from '../../base/without-secrets.ts';
import { estimatedUsage } from '../../model/estimated-usage.ts';
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

/** Providers name the other ends as they like; the end mark of an answer is looked for anyway. */
const CUT = new Set(['length', 'content-filter', 'error']);
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
        const counted = isCounted
          ? { promptTokens: inputTokens, completionTokens: outputTokens }
          : estimatedUsage(prompt, text);
        return { kind: 'text', text, isComplete: !CUT.has(finishReason), usage: counted };
      } catch (error) {
        if (signal?.aborted) throw new AbortedError();
        if (timeout.aborted) return { kind: 'failed', why: `${file} gave no answer within ${timeoutMs} ms` };
        return { kind: 'failed', why: withoutSecrets(errorMessage(error), secretsOfEnvironment()) };
      }
    },
    close: async () => {},
  };
}

async function loadModel(path: string): Promise<{ model: LanguageModel; windowTokens: number }> {
  const loaded = await importing<{ default?: unknown; windowTokens?: unknown }>(pathToFileURL(path).href, path);
  const { default: exported, windowTokens = WINDOW_TOKENS } = loaded;
  const model = await exported;
  if (!isModel(model))
    throw invalid(path, 'its default export is no model. Write: export default provider("model-name").');
  if (typeof windowTokens !== 'number' || !(windowTokens >= LEAST_WINDOW)) {
    throw invalid(path, `its windowTokens is no number from ${LEAST_WINDOW} on.`);
  }
  return { model, windowTokens };
}

const LEAST_WINDOW = 4096;

/** A name for the AI SDK's gateway, or what a provider makes. */
type LanguageModel = string | { provider: string; modelId: string };

function isModel(model: unknown): model is LanguageModel {
  if (typeof model === 'string') return model !== '';
  if (typeof model !== 'object' || model === null) return false;
  const { doGenerate, provider, modelId } = model as Record<string, unknown>;
  return typeof doGenerate === 'function' && typeof provider === 'string' && typeof modelId === 'string';
}

async function loadSdk(path: string): Promise<AiSdk> {
  let address: string;
  try {
    address = pathToFileURL(createRequire(path).resolve('ai')).href;
  } catch {
    throw invalid(path, 'the package "ai" is not installed where it lies. Run npm install ai there.');
  }
  // Version 6 prints its warnings on stdout, where ours is JSON.
  (globalThis as { AI_SDK_LOG_WARNINGS?: unknown }).AI_SDK_LOG_WARNINGS ??= false;
  const sdk = await importing<AiSdk>(address, path);
  if (typeof sdk.generateText === 'function') return sdk;
  throw invalid(path, 'the package "ai" there has no generateText. Install version 5 or later.');
}

async function importing<T>(address: string, path: string): Promise<T> {
  try {
    return (await import(address)) as T;
  } catch (cause) {
    const [why = ''] = errorMessage(cause).split(' imported from ');
    throw invalid(path, `it cannot be loaded: ${why}. Name a module whose default export is a model.`, cause);
  }
}

/** Only the provider knows its key, which mostly comes from there. */
function secretsOfEnvironment(): string[] {
  return Object.entries(process.env).flatMap(([name, value]) =>
    /KEY|TOKEN|SECRET|PASSWORD/i.test(name) && value !== undefined && value.length >= 8 ? [value] : [],
  );
}

function nameOf(model: LanguageModel): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`;
}

function invalid(path: string, why: string, cause?: unknown): CoHarnessError {
  return new CoHarnessError('invalid-critic', `ai-sdk:${path}: ${why}`, { details: { file: path }, cause });
}
