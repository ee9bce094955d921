import { stat } from 'node:fs/promises';
import type { Llama, LlamaModel } from 'node-llama-cpp';
import { CoHarnessError, errorMessage } from '../base/errors.ts';

export type GpuChoice = 'auto' | 'metal' | 'cuda' | 'vulkan' | false;

interface SharedModel {
  model: Promise<LlamaModel>;
  users: number;
}

const engines = new Map<GpuChoice, Promise<Llama>>();
const models = new Map<string, SharedModel>();

/**
 * The loaded model of a GGUF file, one per file and GPU choice however many backends use it; unloaded when the last user releases it.
 * Throws {@link CoHarnessError}: `inference-engine-missing`, `model-file-missing`, `model-file-unreadable`.
 */
export async function borrowLlamaModel(path: string, gpu: GpuChoice): Promise<{ model: LlamaModel; release(): Promise<void> }> {
  const key = `${gpu}\n${path}`;
  const shared = models.get(key) ?? { model: loadModel(path, gpu), users: 0 };
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

async function loadModel(path: string, gpu: GpuChoice): Promise<LlamaModel> {
  const engine = await startEngine(gpu);
  try {
    await stat(path);
  } catch (cause) {
    throw new CoHarnessError('model-file-missing', `There is no model file ${path}. Run \`npx co-harness setup\` to fetch it.`, {
      cause,
      details: { path },
    });
  }
  try {
    return await engine.loadModel({ modelPath: path });
  } catch (cause) {
    throw new CoHarnessError(
      'model-file-unreadable',
      `The model file ${path} cannot be loaded: ${errorMessage(cause)}. It may be truncated or no GGUF file; delete it and run \`npx co-harness setup\`.`,
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
    return await getLlama({ gpu, build: 'never', logLevel: LlamaLogLevel.error });
  } catch (cause) {
    engines.delete(gpu);
    throw new CoHarnessError(
      'inference-engine-missing',
      `The in-process inference engine cannot start: ${errorMessage(cause)}. Run \`npm install\` for this machine, or name a server: model: openai:http://host:port/v1#model`,
      { cause, details: { gpu } },
    );
  }
}
