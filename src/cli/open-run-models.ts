import { CoHarnessError } from '../base/errors.ts';
import type { ModelPool } from '../evolution/run-context.ts';
import type { RunHeader } from '../evolution/start-run.ts';
import { openEngines } from './open-engines.ts';

/** Engines over the weights a run was made with. Throws CoHarnessError `model-changed` when they are not the same any more. */
export async function openRunModels(folder: string, header: RunHeader, signal: AbortSignal): Promise<ModelPool> {
  const log = (text: string) => process.stderr.write(`${text}\n`);
  const { models } = await openEngines(header.engines, folder, { signal, log });
  if (models.base.base === header.base) return models;
  await models.close();
  throw new CoHarnessError(
    'model-changed',
    `The weights of ${header.model} are ${models.base.base} now, the run was made with ${header.base}.`,
  );
}
