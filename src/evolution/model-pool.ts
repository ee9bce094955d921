import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ContentHash, contentHash, shortHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { fileHash } from '../base/file-hash.ts';
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

/** Engines on this machine over one weights file. */
export function embeddedPool(options: EmbeddedPoolOptions): ModelPool {
  return enginePool(options.base, (identity) => openEngine(options, identity));
}

/**
 * Engines that `openEngine` opens, at most {@link MOST_OPEN} at once. An adapter is proven active when it is opened; an engine whose proof fails is closed.
 * `close` ends all, also those that had to make room, and then rejects with the first failure of closing any.
 */
export function enginePool(
  base: ModelIdentity,
  openEngine: (identity: ModelIdentity) => Promise<ModelBackend>,
): ModelPool {
  const open = new Map<string, Promise<ModelBackend>>();
  const closing: Promise<void>[] = [];
  /** Its failure is for `close` to tell. */
  const retire = (backend: Promise<ModelBackend>) => {
    const closed = backend.then(
      (engine) => engine.close(),
      () => undefined,
    );
    closed.catch(() => undefined);
    closing.push(closed);
  };
  const start = async (identity: ModelIdentity): Promise<ModelBackend> => {
    const backend = await openEngine(identity);
    try {
      if (identity.adapter !== null) await proveAdapterActive(backend, await pool.open(base), PROBE_PROMPTS);
      return backend;
    } catch (error) {
      // Why the proof failed says more than why the engine does not end.
      await backend.close().catch(() => undefined);
      throw error;
    }
  };
  const pool: ModelPool = {
    base,
    open: (identity) => {
      const key = contentHash(identity);
      const backend = open.get(key) ?? start(identity);
      // Put in again, so that the map is in the order of last use.
      open.delete(key);
      open.set(key, backend);
      for (const oldest of surplus(open, [contentHash(base), key])) {
        retire(open.get(oldest) as Promise<ModelBackend>);
        open.delete(oldest);
      }
      return backend;
    },
    close: async () => {
      for (const backend of open.values()) retire(backend);
      open.clear();
      const failed = (await Promise.allSettled(closing.splice(0))).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
  };
  return pool;
}

/** Keys that have to go, those used longest ago first; never one of `kept`. */
function surplus(open: ReadonlyMap<string, unknown>, kept: readonly string[]): string[] {
  return [...open.keys()].filter((key) => !kept.includes(key)).slice(0, Math.max(0, open.size - MOST_OPEN));
}

/** No result is recorded, and no answer given, under the name of other weights. A file that is not there is for the engine to tell. */
async function refuseChanged(file: string, adapter: ContentHash): Promise<void> {
  if (!existsSync(file) || (await fileHash(file)) === adapter) return;
  throw new CoHarnessError(
    'weights-changed',
    `${file} was changed since it was trained: it is not the adapter ${shortHash(adapter)}. Restore it from a copy, or use another version.`,
    { details: { file, adapter } },
  );
}

async function openEngine(options: EmbeddedPoolOptions, identity: ModelIdentity): Promise<ModelBackend> {
  const { config, modelPath, adapterFolder } = options;
  const folder = identity.adapter === null ? null : adapterFolder(identity.adapter);
  if (folder !== null && identity.adapter !== null) await refuseChanged(join(folder, 'adapter.gguf'), identity.adapter);
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
