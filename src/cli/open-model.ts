import { fileURLToPath } from 'node:url';
import type { ContentHash } from '../base/content-hash.ts';
import type { RunConfig } from '../evolution/run-config.ts';
import { localModel } from '../setup/local-model.ts';
import { ensurePython } from '../setup/python-environment.ts';

/** Folder that holds the Python package `coharness_trainer`. */
export const trainerRoot = fileURLToPath(new URL('../../trainer', import.meta.url));

export interface OpenedModel {
  path: string;
  hash: ContentHash;
  /** The interpreter with the trainer's packages, and its environment; installed when first asked for. */
  python: () => Promise<{ python: string; environment: NodeJS.ProcessEnv }>;
}

/** Weights of a config in the user cache, downloaded and checked where needed. */
export async function openModel(
  model: RunConfig['model'],
  options: { signal: AbortSignal; log: (text: string) => void },
): Promise<OpenedModel> {
  const { path, hash } = await localModel(model.source, {
    ...options,
    ...(model.hash === undefined ? {} : { expectedHash: model.hash }),
  });
  return { path, hash, python: () => ensurePython(options) };
}
