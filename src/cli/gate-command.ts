import { join } from 'node:path';
import type { Command } from 'commander';
import { withFileLock } from '../../bin/file-lock.mjs';
import { systemClock } from '../base/clock.ts';
import { interruptSignal } from '../base/interrupt-signal.ts';
import { seededRandom } from '../base/random.ts';
import { percent, points } from '../base/share-text.ts';
import { openSqliteJournal } from '../base/sqlite-journal.ts';
import { type NullRuns, runNull } from '../evolution/null-runs.ts';
import { runnerOfRun } from '../evolution/programs-of-run.ts';
import { appended } from '../lab/option-list.ts';
import { countNumber, temperatureNumber, wholeNumber } from '../lab/option-numbers.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { VERSION_HELP } from './find-version.ts';
import { type GateSubject, gateSubject } from './gate-subject.ts';
import { openRunEngines } from './open-run-engines.ts';
import { namedRun, withRunArgument } from './run-argument.ts';
import { runProgress } from './run-progress.ts';

interface GateOptions {
  run?: string;
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
  withRunArgument(program.command('gate'))
    .description('--null: what the champion shows against itself on gate tasks, by luck alone')
    .requiredOption('--null', 'A/A runs of the very pair under different seeds')
    .option('--pair <pair>', VERSION_HELP, 'champion')
    .option('--config <path>', 'config the run was made from; default: the one it remembers')
    .option('--set <key=value>', 'config values the run was started with, may be repeated', appended, [] as string[])
    .option('--groups <number>', 'gate groups at most', countNumber, 100)
    .option('--repeats <number>', 'rollouts per task in each arm', countNumber, 1)
    .option('--temperature <number>', 'default: the harness’s own', temperatureNumber)
    .option('--seed <number>', 'root seed', wholeNumber, 1)
    .option('--json', 'as JSON (schema co-harness/gate-null@1)')
    .action(gateNull);
}

async function gateNull(argument: string | undefined, options: GateOptions): Promise<void> {
  const subject = await gateSubject(namedRun(argument, options), options);
  // Two at once would each buy what the other has.
  const measured = await withFileLock(join(subject.folder, 'null.lock'), () => measure(subject, options), {
    onWait: (owner) => process.stderr.write(`Process ${owner} plays null runs of this run; waiting for it …\n`),
  });
  const { version } = subject.version;
  const pair = pairHash(subject.version.pair);
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ schema: 'co-harness/gate-null@1', run: subject.name, pair, version, ...measured })}\n`,
    );
  } else process.stdout.write(`${describe(measured, subject.version).join('\n')}\n`);
}

async function measure(
  { folder, version, header, harness, tasks, verifier }: GateSubject,
  options: GateOptions,
): Promise<NullRuns> {
  await using closing = new AsyncDisposableStack();
  const signal = interruptSignal();
  const tell = (text: string) => process.stderr.write(`${text}\n`);
  const runner = closing.adopt(runnerOfRun(header, folder, { tell }), async (agent) => agent?.close());
  const engines = await openRunEngines(folder, header, signal);
  closing.defer(engines.close);
  const journal = openSqliteJournal(join(folder, 'null.sqlite'));
  closing.defer(journal.close);
  const progress = runProgress(process.stderr);
  const { temperature } = options;
  const byGroup = [...Map.groupBy(tasks, ({ group }) => group).values()];
  return await runNull({
    harness,
    model: await engines.models.open(version.pair.model),
    groups: seededRandom(1).shuffled(byGroup).slice(0, options.groups),
    repeats: options.repeats,
    sampling: temperature === undefined ? null : { ...harness.settings.sampling, temperature },
    seed: options.seed,
    verifier,
    toolHosts: engines.toolHosts,
    ...(runner === null ? {} : { runner }),
    journal,
    clock: systemClock,
    signal,
    onProgress: ({ finished, total }) =>
      progress({ type: 'progress', seed: 1, round: 0, step: 'null runs', done: finished, total }),
  });
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
