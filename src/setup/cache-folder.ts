import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Absolute folder for what all clones of this user share: model weights and Python environments. CO_HARNESS_CACHE, else
 * XDG_CACHE_HOME/co-harness, else LOCALAPPDATA\co-harness on Windows and ~/.cache/co-harness elsewhere. May not exist yet.
 */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.CO_HARNESS_CACHE) return resolve(environment.CO_HARNESS_CACHE);
  const local = process.platform === 'win32' ? environment.LOCALAPPDATA : undefined;
  return join(environment.XDG_CACHE_HOME || local || join(homedir(), '.cache'), 'co-harness');
}
