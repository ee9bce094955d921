import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunHeader } from './start-run.ts';

/** The config file that a run was made from, as an absolute path, where it still lies at its place beside the run `folder`. */
export function configOfRun(folder: string, { configFile }: Pick<RunHeader, 'configFile'>): string | null {
  if (configFile === undefined || configFile === null) return null;
  const file = resolve(folder, configFile);
  return existsSync(file) ? file : null;
}
