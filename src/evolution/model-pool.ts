import { join } from 'node:path';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { openLlamaCppBackend } from '../model/llama-cpp-backend.ts';
import type { ModelBackend, ModelIdentity } from '../model/model-backend.ts';
import { proveAdapterActive } from '../model/prove-adapter-active.ts';
import { openTorchBackend } from '../model/torch-backend.ts';
import type { RunConfig } from './run-config.ts';
import type { ModelPool } from './run-context.ts';

/** Engines kept open: the base to prove adapters against, old and new weights of one gate. */
const MOST_OPEN = 3;

/** Plain questions: an adapter that changes none of the greedy answers to them is taken for inactive. */
const PROBE_PROMPTS = ['What is 12 plus 7?', 'Name three colours.', 'Write one short sentence about a river.'].map(
  (content) => [{ role: 'user' as const, content }],
);

export interface EmbeddedPoolOptions {
  modelPath: string;
  base: ModelIdentity;
  /** Where an adapter lies. */
  adapterFolder: (adapter: ContentHash) => string;
  config: RunConfig['model'];
  /** Interpreter and environment with the trainer's packages; asked for by the torch engine only. */
  python: () => Promise<{ python: string; environment: NodeJS.ProcessEnv }>;
}

/** Engines on this machine over one weights file. An adapter is proven active when it is opened. */
export function embeddedPool(options: EmbeddedPoolOptions): ModelPool {
  const open = new Map<string, Promise<ModelBackend>>();
  const start = async (identity: ModelIdentity): Promise<ModelBackend> => {
    const backend = await openEngine(options, identity);
    if (identity.adapter !== null) await proveAdapterActive(backend, await pool.open(options.base), PROBE_PROMPTS);
    return backend;
  };
  const pool: ModelPool = {
    base: options.base,
    open: (identity) => {
      const key = contentHash(identity);
      const known = open.get(key);
      open.delete(key);
      const backend = known ?? start(identity);
      open.set(key, backend);
      closeOldest(open, contentHash(options.base), key);
      return backend;
    },
    close: async () => {
      const backends = await Promise.allSettled(open.values());
      for (const backend of backends) if (backend.status === 'fulfilled') await backend.value.close();
      open.clear();
    },
  };
  return pool;
}

async function openEngine(options: EmbeddedPoolOptions, identity: ModelIdentity): Promise<ModelBackend> {
  const { config, modelPath, adapterFolder } = options;
  const folder = identity.adapter === null ? null : adapterFolder(identity.adapter);
  const limits = {
    windowTokens: config.windowTokens,
    ...(config.threads === undefined ? {} : { threads: config.threads }),
  };
  if (config.engine === 'llama-cpp') {
    return openLlamaCppBackend({
      modelPath,
      modelHash: identity.base,
      ...limits,
      ...(config.sequences === undefined ? {} : { sequences: config.sequences }),
      ...(folder === null || identity.adapter === null
        ? {}
        : { adapter: { path: join(folder, 'adapter.gguf'), hash: identity.adapter } }),
    });
  }
  return openTorchBackend({
    ...(await options.python()),
    base: { path: modelPath, hash: identity.base },
    ...limits,
    ...(config.sequences === undefined ? {} : { slots: config.sequences }),
    ...(folder === null || identity.adapter === null
      ? {}
      : { adapter: { folder: join(folder, 'adapter'), hash: identity.adapter } }),
  });
}

function closeOldest(open: Map<string, Promise<ModelBackend>>, baseKey: string, newKey: string): void {
  for (const [key, backend] of open) {
    if (open.size <= MOST_OPEN) return;
    if (key === baseKey || key === newKey) continue;
    open.delete(key);
    backend.then(
      (engine) => engine.close(),
      () => undefined,
    );
  }
}
