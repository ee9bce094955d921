import { resolve } from 'node:path';
import { CoHarnessError } from '../base/errors.ts';
import type { RunHeader } from '../evolution/start-run.ts';
import { type OpenEnginesOptions, type OpenedEngines, openEngines } from './open-engines.ts';

/**
 * Engines over the weights a run was made with; `folder` holds its adapters, or `options` say where they are; programs of MCP servers start where the run started them. Throws CoHarnessError `model-changed` when the weights are
 * not the same any more, and what openEngines throws.
 */
export async function openRunEngines(
  folder: string,
  header: Pick<RunHeader, 'engines' | 'model' | 'base' | 'mcpDirectory'>,
  signal: AbortSignal,
  options: Pick<OpenEnginesOptions, 'adapterFolder' | 'directory'> = {},
): Promise<OpenedEngines> {
  const log = (text: string) => process.stderr.write(`${text}\n`);
  const { mcpDirectory } = header;
  const started = mcpDirectory === undefined ? {} : { directory: resolve(folder, mcpDirectory) };
  const engines = await openEngines(header.engines, folder, { ...started, ...options, signal, log });
  const { base } = engines.models.base;
  if (base === header.base) return engines;
  await engines.close();
  throw new CoHarnessError(
    'model-changed',
    `The weights of ${header.model} are ${base} now, the run was made with ${header.base}.`,
  );
}
