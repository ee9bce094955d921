import { dirname, join } from 'node:path';
import { CoHarnessError } from '../base/errors.ts';
import { configOfRun } from '../evolution/config-of-run.ts';
import { verifierOfRun } from '../evolution/programs-of-run.ts';
import type { RunConfig } from '../evolution/run-config.ts';
import { prepareRun, type RunHeader, readRunHeader } from '../evolution/start-run.ts';
import type { Harness } from '../harness/harness.ts';
import { openRegistry } from '../registry/registry.ts';
import type { Version } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import { findConfigFile, loadConfig } from './config-file.ts';
import { findVersion } from './find-version.ts';
import { findRun, withJournal } from './run-folders.ts';

/** A version of a run, the gate tasks and the verifier by which the run judged it, and what the run was made from. */
export interface GateSubject {
  /** Name and folder of the run. */
  name: string;
  folder: string;
  header: RunHeader;
  version: Version;
  /** Whether its φ is that of the newest accepted version of its seed. */
  isChampion: boolean;
  harness: Harness;
  tasks: readonly Task[];
  verifier: Verifier;
  config: RunConfig;
  /** The run's `train` split, in its order. */
  train: readonly Task[];
}

export interface GateSubjectOptions {
  /** What `Registry.find` takes. */
  pair: string;
  /** Absent: the config that the run was made from. */
  config?: string;
  /** `a.b=value`, as the run was started with. */
  set: readonly string[];
}

/**
 * `reference`: run name or folder; undefined = the newest. Tasks are read again through the run's config. Throws CoHarnessError `run-mismatch` when that gives
 * other tasks than the run had: its sealed ones are known by their hashes.
 */
export async function gateSubject(reference: string | undefined, options: GateSubjectOptions): Promise<GateSubject> {
  const { name, folder } = findRun(reference);
  const judged = await withJournal(folder, async (journal) => {
    const registry = openRegistry(join(folder, 'registry'), journal);
    const version = await findVersion(registry, options.pair);
    const champion = await registry.champion(version.seed);
    const isChampion = champion.pair.harness === version.pair.harness;
    return {
      version,
      isChampion,
      header: await readRunHeader(journal),
      harness: await registry.harness(version.pair.harness),
    };
  });
  return { name, folder, ...judged, ...(await gateTasks(folder, judged.header, options)) };
}

async function gateTasks(
  folder: string,
  header: RunHeader,
  { config, set }: GateSubjectOptions,
): Promise<Pick<GateSubject, 'tasks' | 'verifier' | 'config' | 'train'>> {
  const file = config === undefined ? configOfRun(folder, header) : findConfigFile(config);
  if (file === null) {
    throw new CoHarnessError('no-config', 'The run does not know its config any more. Name it with --config.');
  }
  const { hashes: _hashes, ...settings } = header.config.tasks as Record<string, unknown>;
  const tasks = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`tasks.${key}`, value]));
  // What the run was started with counts, not what the file says by now: a model behind a server is refused where weights are to be trained.
  const overrides = { ...tasks, only: header.engines.only, verifier: header.verifier };
  const { splits, config: read } = await prepareRun(await loadConfig(file, set, overrides), file);
  const sealed = new Set<string>(header.sealed);
  if (splits.test.length !== sealed.size || splits.test.some(({ hash }) => !sealed.has(hash))) {
    throw new CoHarnessError(
      'run-mismatch',
      `${file} gives other tasks than the run was made with. Name the config with --config, and what it was started with by --set (tasks.path=FILE, say).`,
      { details: { file } },
    );
  }
  const tell = (text: string) => process.stderr.write(`${text}\n`);
  const verifier = verifierOfRun(header, folder, { directory: dirname(file), tell });
  return { tasks: splits.gate, verifier, config: read, train: splits.train };
}
