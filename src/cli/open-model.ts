import { fileURLToPath } from 'node:url';
import type { RunConfig } from '../evolution/run-config.ts';
import { resolveModel } from '../model/model-source.ts';
import { ensurePython, pythonEnvironment } from '../setup/python-environment.ts';

/** Folder that holds the Python package `coharness_trainer`. */
export const trainerRoot = fileURLToPath(new URL('../../trainer', import.meta.url));

export interface OpenedModel {
  path: string;
  hash: string;
  /** The interpreter with the trainer's packages; installed when first asked for. */
  python: () => Promise<string>;
}

/** Weights of a config in the user cache, downloaded and checked where needed. */
export async function openModel(
  model: RunConfig['model'],
  { signal, log }: { signal: AbortSignal; log: (text: string) => void },
): Promise<OpenedModel> {
  const python = async () => {
    const environment = await pythonEnvironment();
    return environment.ready ? environment.python : ensurePython({ log, signal });
  };
  const resolved = await resolveModel(model.source, {
    ...(model.hash === undefined ? {} : { expectedHash: model.hash }),
    log,
    signal,
    python,
  });
  return { path: resolved.path, hash: resolved.hash, python };
}
