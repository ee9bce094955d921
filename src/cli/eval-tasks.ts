import { CoHarnessError } from '../base/errors.ts';
import { configOfRun } from '../evolution/config-of-run.ts';
import type { RunHeader } from '../evolution/start-run.ts';
import { checkVerifierConfig } from '../task/choose-verifier.ts';
import { type LoadedTasks, loadTasks } from '../task/load-tasks.ts';
import { refuseBadGolds } from '../task/refuse-bad-golds.ts';
import type { TaskRow } from '../task/task.ts';
import { findConfigFile, loadConfig } from './config-file.ts';

/**
 * Rows of a task file. With `config` its `tasks.mapRow` turns each row into a task. Without it rows must be tasks; where they are not, and the run was
 * made from a config that has a mapRow, that one is used. `tell` hears of every mapping: none is silent. Throws what loadTasks throws, and
 * CoHarnessError `no-map-row` when `config` has none, `invalid-gold` where the run's verifier could not use an answer.
 */
export async function readEvalTasks(file: string, options: EvalTaskOptions): Promise<TaskRow[]> {
  const { rows, lineOf } = await loadEvalTasks(file, options);
  refuseBadGolds(checkVerifierConfig(options.header.verifier), rows, { file, lineOf });
  return rows;
}

interface EvalTaskOptions {
  config?: string;
  folder: string;
  header: RunHeader;
  tell: (text: string) => void;
}

async function loadEvalTasks(file: string, { config, folder, header, tell }: EvalTaskOptions): Promise<LoadedTasks> {
  if (config !== undefined) return mapped(file, findConfigFile(config), tell);
  try {
    return await loadTasks(file);
  } catch (error) {
    const own = configOfRun(folder, header);
    if (!CoHarnessError.isInstance(error, 'invalid-data') || own === null) throw error;
    try {
      return await mapped(file, own, tell);
    } catch (second) {
      throw CoHarnessError.isInstance(second, 'no-map-row') ? error : second;
    }
  }
}

async function mapped(file: string, configFile: string, tell: (text: string) => void): Promise<LoadedTasks> {
  const { mapRow } = (await loadConfig(configFile, [])).tasks;
  if (mapRow === undefined) {
    throw new CoHarnessError(
      'no-map-row',
      `${configFile} has no tasks.mapRow. Name a config that has one with --config, or give rows with id, problem and answer.`,
      { details: { configFile } },
    );
  }
  const loaded = await loadTasks(file, { mapRow });
  tell(
    `${file}: ${loaded.rows.length} rows turned into tasks by tasks.mapRow of ${configFile}, ${loaded.dropped} dropped`,
  );
  return loaded;
}
