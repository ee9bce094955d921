import { join } from 'node:path';
import { contentHash } from '../base/content-hash.ts';
import { openLlamaCppBackend } from '../model/llama-cpp-backend.ts';
import type { ModelBackend, ModelIdentity } from '../model/model-backend.ts';
import { proveAdapterActive } from '../model/prove-adapter-active.ts';
import type { RunConfig } from './run-config.ts';
import type { ModelPool } from './run-context.ts';

/** Contexts kept open: base, old and new adapter are what one gate needs. */
const MOST_OPEN = 3;

/** Plain questions: an adapter that changes none of the greedy answers to them is taken for inactive. */
const PROBE_PROMPTS = ['What is 12 plus 7?', 'Name three colours.', 'Write one short sentence about a river.'].map(
  (content) => [{ role: 'user' as const, content }],
);

/** Embedded engines over one weights file, adapters from `adapters/<hash>/adapter.gguf` of the run folder. */
export function llamaCppPool(options: {
  modelPath: string;
  base: ModelIdentity;
  adaptersFolder: string;
  config: RunConfig['model'];
}): ModelPool {
  const open = new Map<string, Promise<ModelBackend>>();
  const start = async (identity: ModelIdentity): Promise<ModelBackend> => {
    const adapter =
      identity.adapter === null
        ? undefined
        : { path: join(options.adaptersFolder, identity.adapter, 'adapter.gguf'), hash: identity.adapter };
    const backend = await openLlamaCppBackend({
      modelPath: options.modelPath,
      modelHash: identity.base,
      ...(adapter === undefined ? {} : { adapter }),
      sequences: options.config.sequences,
      windowTokens: options.config.windowTokens,
      threads: options.config.threads,
    });
    if (adapter !== undefined) await proveAdapterActive(backend, await pool.open(options.base), PROBE_PROMPTS);
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
      for (const backend of open.values()) await (await backend).close();
      open.clear();
    },
  };
  return pool;
}

function closeOldest(open: Map<string, Promise<ModelBackend>>, baseKey: string, newKey: string): void {
  for (const [key, backend] of open) {
    if (open.size <= MOST_OPEN) return;
    if (key === baseKey || key === newKey) continue;
    open.delete(key);
    void backend.then((engine) => engine.close());
  }
}
