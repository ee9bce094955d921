import { CoHarnessError } from '../base/errors.ts';
import type { RunHeader } from '../evolution/start-run.ts';
import { type OpenedEngines, openEngines } from './open-engines.ts';

/** Engines over the weights a run was made with. Throws CoHarnessError `model-changed` when they are not the same any more. */
export async function openRunEngines(folder: string, header: RunHeader, signal: AbortSignal): Promise<OpenedEngines> {
  const log = (text: string) => process.stderr.write(`${text}\n`);
  const engines = await openEngines(header.engines, folder, { signal, log });
  const { base } = engines.models.base;
  if (base === header.base) return engines;
  await engines.close();
  throw new CoHarnessError(
    'model-changed',
    `The weights of ${header.model} are ${base} now, the run was made with ${header.base}.`,
  );
}
