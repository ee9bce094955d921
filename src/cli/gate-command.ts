import { join } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { CoHarnessError } from '../base/errors.ts';
import { seededRandom } from '../base/random.ts';
import { percent, points } from '../base/share-text.ts';
import { openSqliteJournal } from '../base/sqlite-journal.ts';
import { type NullRuns, runNull } from '../evolution/null-runs.ts';
import { prepareRun, type RunHeader, readRunHeader } from '../evolution/start-run.ts';
import type { Harness } from '../harness/harness.ts';
import { countNumber, temperatureNumber, wholeNumber } from '../lab/option-numbers.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { interruptSignal } from '../setup/interrupt-signal.ts';
import type { Task } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import { findConfigFile, loadConfig } from './config-file.ts';
import { configOfRun } from './eval-tasks.ts';
import { openRunEngines } from './open-run-engines.ts';
import { findRun, withJournal } from './run-folders.ts';
import { runProgress } from './run-progress.ts';

interface GateOptions {
  null?: boolean;
  pair: string;
  config?: string;
  set: string[];
  groups: number;
  repeats: number;
  temperature?: number;
  seed: number;
  json?: boolean;
}

export function registerGateCommand(program: Command): void {
  program
    .command('gate')
    .description('--null: what the champion shows against itself on gate tasks, by luck alone')
    .argument('[run]', 'run name or folder; default: the newest')
    .requiredOption('--null', 'A/A runs of the very pair under different seeds')
    .option('--pair <pair>', 'a pair hash, a version such as v3, or champion', 'champion')
    .option('--config <path>', 'config the run was made from; default: the one it remembers')
    .option(
      '--set <key=value>',
      'config values the run was started with, may be repeated',
      (value, all: string[]) => [...all, value],
      [] as string[],
    )
    .option('--groups <number>', 'gate groups at most', countNumber, 100)
    .option('--repeats <number>', 'rollouts per task in each arm', countNumber, 1)
    .option('--temperature <number>', 'default: the harness’s own', temperatureNumber)
    .option('--seed <number>', 'root seed', wholeNumber, 1)
    .option('--json', 'as JSON (schema co-harness/gate-null@1)')
    .action(gateNull);
}

async function gateNull(reference: string | undefined, options: GateOptions): Promise<void> {
  const { name, folder } = findRun(reference);
  const subject = await withJournal(folder, async (journal) => {
    const registry = openRegistry(join(folder, 'registry'), journal);
    const version = await registry.find(options.pair);
    return { version, header: await readRunHeader(journal), harness: await registry.harness(version.pair.harness) };
  });
  const { groups, verifier } = await gateTasks(folder, subject.header, options);
  const measured = await measure(folder, subject, groups, verifier, options);
  const pair = pairHash(subject.version.pair);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ schema: 'co-harness/gate-null@1', run: name, pair, ...measured })}\n`);
  } else process.stdout.write(`${describe(measured, subject.version).join('\n')}\n`);
}

/**
 * Gate tasks of a run, read again through its config. Throws CoHarnessError `run-mismatch` when the config gives other tasks than the run had: its sealed
 * ones are known by their hashes.
 */
async function gateTasks(
  folder: string,
  header: RunHeader,
  { config, set, groups }: GateOptions,
): Promise<{ groups: Task[][]; verifier: Verifier }> {
  const file = config === undefined ? configOfRun(folder, header) : findConfigFile(config);
  if (file === null) {
    throw new CoHarnessError('no-config', 'The run does not know its config any more. Name it with --config.');
  }
  const { hashes: _hashes, ...settings } = header.config.tasks as Record<string, unknown>;
  const overrides = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`tasks.${key}`, value]));
  const { splits, verifier } = await prepareRun(await loadConfig(file, set, overrides), file);
  const sealed = new Set<string>(header.sealed);
  if (splits.test.length !== sealed.size || splits.test.some(({ hash }) => !sealed.has(hash))) {
    throw new CoHarnessError(
      'run-mismatch',
      `${file} gives other tasks than the run was made with. Name the config with --config, and what it was started with by --set (tasks.path=FILE, say).`,
      { details: { file } },
    );
  }
  const byGroup = [...Map.groupBy(splits.gate, (task) => task.group).values()];
  return { groups: seededRandom(1).shuffled(byGroup).slice(0, groups), verifier };
}

async function measure(
  folder: string,
  { version, header, harness }: { version: Version; header: RunHeader; harness: Harness },
  groups: Task[][],
  verifier: Verifier,
  options: GateOptions,
): Promise<NullRuns> {
  const signal = interruptSignal();
  const engines = await openRunEngines(folder, header, signal);
  const progress = runProgress(process.stderr);
  const journal = openSqliteJournal(join(folder, 'null.sqlite'));
  const { temperature } = options;
  try {
    return await runNull({
      harness,
      model: await engines.models.open(version.pair.model),
      groups,
      repeats: options.repeats,
      sampling: temperature === undefined ? null : { ...harness.settings.sampling, temperature },
      seed: options.seed,
      verifier,
      toolHosts: engines.toolHosts,
      journal,
      clock: systemClock,
      signal,
      onProgress: ({ finished, total }) =>
        progress({ type: 'progress', seed: 1, round: 0, step: 'null runs', done: finished, total }),
    });
  } finally {
    await journal.close();
    await engines.close();
  }
}

function describe(measured: NullRuns, { version }: Version): string[] {
  const { pairs, groups, unscored, discordance, mean, low, high, bands } = measured;
  const lines = [
    `v${version} against itself: ${pairs} pairs in ${groups} groups (${unscored} unscored), scores differ on ${percent(discordance)}`,
    `  mean difference ${points(mean)} (95% ${points(low)} to ${points(high)}): all of it luck`,
    ...bands.map(({ line }) => `  ${line}`),
  ];
  const greedy = '  The pair is greedy: two runs are one. Ask at a temperature: --temperature 0.7';
  return measured.greedy ? [...lines, greedy] : lines;
}
