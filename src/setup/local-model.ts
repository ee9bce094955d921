import { runCommand } from '../base/run-command.ts';
import { type ResolvedModel, resolveModel } from '../model/model-source.ts';
import { cacheFolder } from './cache-folder.ts';
import { findPython } from './find-python.ts';
import { ensurePython, pythonEnvironment } from './python-environment.ts';

export interface LocalModelOptions {
  /** SHA-256 that the file must have. */
  expectedHash?: string;
  log: (line: string) => void;
  signal?: AbortSignal;
}

async function pythonWithPip(options: LocalModelOptions): Promise<{ python: string; environment: NodeJS.ProcessEnv }> {
  const environment = pythonEnvironment();
  if (environment.ready) return environment;
  const { executable } = await findPython();
  const { code } = await runCommand(executable, ['-m', 'pip', '--version']);
  return code === 0 ? { python: executable, environment: process.env } : ensurePython(options);
}

/**
 * The weights that `source` names, in the user's cache; installs the Python environment first where re-quantising needs it and it is
 * not there. Throws what resolveModel and ensurePython throw.
 */
export function localModel(source: string, options: LocalModelOptions): Promise<ResolvedModel> {
  return resolveModel(source, {
    ...options,
    cacheFolder: cacheFolder(),
    python: (need) => (need === 'trainer' ? ensurePython(options) : pythonWithPip(options)),
  });
}
