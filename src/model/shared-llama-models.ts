import { stat } from 'node:fs/promises';
import type { Llama, LlamaModel } from 'node-llama-cpp';
import { CoHarnessError, errorMessage } from '../base/errors.ts';

export type GpuChoice = 'auto' | 'metal' | 'cuda' | 'vulkan' | false;

export interface BorrowedLlamaModel {
  model: LlamaModel;
  release(): Promise<void>;
}

interface SharedModel {
  model: Promise<LlamaModel>;
  users: number;
}

const LAST_COMPLAINTS = 4;

const engines = new Map<GpuChoice, Promise<Llama>>();
const models = new Map<string, SharedModel>();
/** What llama.cpp itself said last: its exceptions seldom name the reason. */
const complaints: string[] = [];

/** The message of an engine's error with the engine's own last words, which are then forgotten. */
export function engineErrorMessage(error: unknown): string {
  return [errorMessage(error), ...complaints.splice(0)].join('; ');
}

/** `vocabulary`: the tokeniser alone, without the weights. */
export type ModelParts = 'all' | 'vocabulary';

/**
 * The loaded model of a GGUF file, one per file, GPU choice and parts however many backends use it; unloaded when the last user releases it.
 * Throws {@link CoHarnessError}: `inference-engine-missing`, `model-file-missing`, `model-file-unreadable`.
 */
export async function borrowLlamaModel(
  path: string,
  gpu: GpuChoice,
  parts: ModelParts = 'all',
): Promise<BorrowedLlamaModel> {
  const key = `${gpu} ${parts}\n${path}`;
  const shared = models.get(key) ?? { model: loadModel(path, gpu, parts), users: 0 };
  models.set(key, shared);
  shared.users++;
  const release = async () => {
    if (--shared.users > 0) return;
    if (models.get(key) === shared) models.delete(key);
    await shared.model.then((model) => model.dispose()).catch(() => {});
  };
  try {
    return { model: await shared.model, release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function loadModel(path: string, gpu: GpuChoice, parts: ModelParts): Promise<LlamaModel> {
  const engine = await startEngine(gpu);
  try {
    await stat(path);
  } catch (cause) {
    throw new CoHarnessError(
      'model-file-missing',
      `There is no model file ${path}. Run \`npx co-harness setup\` to fetch it.`,
      {
        cause,
        details: { path },
      },
    );
  }
  try {
    return await engine.loadModel({ modelPath: path, vocabOnly: parts === 'vocabulary' });
  } catch (cause) {
    throw new CoHarnessError(
      'model-file-unreadable',
      `The model file ${path} cannot be loaded: ${engineErrorMessage(cause)}. It may be truncated or no GGUF file; delete it and run \`npx co-harness setup\`.`,
      { cause, details: { path } },
    );
  }
}

function startEngine(gpu: GpuChoice): Promise<Llama> {
  const running = engines.get(gpu) ?? loadEngine(gpu);
  engines.set(gpu, running);
  return running;
}

async function loadEngine(gpu: GpuChoice): Promise<Llama> {
  try {
    // Loaded here and only here: the package is heavy, and most commands never generate.
    const { getLlama, LlamaLogLevel } = await import('node-llama-cpp');
    return await getLlama({ gpu, build: 'never', logLevel: LlamaLogLevel.error, logger: rememberComplaint });
  } catch (cause) {
    engines.delete(gpu);
    throw new CoHarnessError(
      'inference-engine-missing',
      `The in-process inference engine cannot start: ${errorMessage(cause)}. Run \`npm install\` for this machine, or name a server: model: openai:http://host:port/v1#model`,
      { cause, details: { gpu } },
    );
  }
}

function rememberComplaint(_level: string, message: string): void {
  complaints.push(message.trim());
  complaints.splice(0, complaints.length - LAST_COMPLAINTS);
}
