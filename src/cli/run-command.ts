import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { shortHash } from '../base/content-hash.ts';
import { AbortedError } from '../base/errors.ts';
import { wrapIndented } from '../base/wrap-text.ts';
import { estimateLines, estimateRun } from '../evolution/estimate-run.ts';
import { firstGateText, splitsText } from '../evolution/first-gates.ts';
import { durationSchema, readerOfProposer } from '../evolution/run-config.ts';
import { executeRun, type PreparedRun, prepareRun } from '../evolution/start-run.ts';
import { appended } from '../lab/option-list.ts';
import { countNumber } from '../lab/option-numbers.ts';
import { contaminationText } from '../task/contamination.ts';
import { findConfigFile, loadConfig } from './config-file.ts';
import { openEngines } from './open-engines.ts';
import { openReader } from './open-reader.ts';
import { printReport } from './report-command.ts';
import { RUNS_FOLDER } from './run-folders.ts';
import { formatSeconds, runProgress } from './run-progress.ts';

interface RunOptions {
  time?: string;
  tokens?: number;
  rounds?: number;
  seeds?: number;
  only?: 'harness' | 'weights';
  quick?: boolean;
  estimate?: boolean;
  name?: string;
  set: string[];
  json?: boolean;
}

/** What `--quick` means: the whole path once, in minutes. Explicit options win over it. */
const QUICK = { 'budget.time': '7m', rounds: 1, iterations: 1, 'sizes.candidates': 6 };

export function registerRunCommand(program: Command): void {
  program
    .command('run')
    .description('improve harness and weights in turns; the same command again continues a stopped run')
    .argument('[path]', 'folder with a co-harness.config.{ts,yaml}, or such a file', '.')
    .option('--time <duration>', 'time the run may take, such as 40m or 2h', timeWithUnit)
    .option('--tokens <number>', 'tokens the rollouts may use', countNumber)
    .option('--rounds <number>', 'rounds of harness, then weights', countNumber)
    .option('--seeds <number>', 'repeat the whole run with this many seeds and report them jointly', countNumber)
    .option('--only <part>', 'harness or weights')
    .option('--quick', 'the whole path once, small, in under ten minutes')
    .option('--estimate', 'say what the run may cost at most, and start nothing')
    .option('--name <name>', 'name of the run folder; default: from the configuration')
    .option('--set <key=value>', 'override a config value, may be repeated', appended, [] as string[])
    .option('--json', 'print the report as JSON at the end, progress on stderr')
    .action(run);
}

/** The text of `--time`, checked. Throws commander's InvalidArgumentError. */
function timeWithUnit(text: string): string {
  if (!durationSchema.safeParse(text).success)
    throw new InvalidArgumentError('Expected a time with its unit (s, m or h), such as 90s, 40m or 2h.');
  return text;
}

async function run(path: string, options: RunOptions): Promise<void> {
  const file = findConfigFile(path);
  const config = await loadConfig(file, options.set, overrides(options));
  const prepared = await prepareRun(config, file, { isEstimate: options.estimate === true });
  const name = options.name ?? `${config.name}-${shortHash(prepared.identity)}`;
  const folder = join(RUNS_FOLDER, name);
  const output = options.json ? process.stderr : process.stdout;
  const estimate = estimateRun(config, prepared.splits);
  if (options.estimate === true && options.json === true) {
    const { contamination = null } = prepared;
    for (const text of prepared.cautions ?? []) process.stderr.write(`Caution: ${text}\n`);
    process.stdout.write(`${JSON.stringify({ schema: 'co-harness/estimate@1', ...estimate, contamination })}\n`);
    return;
  }
  introduce(output, prepared, folder);
  if (options.estimate === true || config.estimate !== undefined) {
    output.write(`${estimateLines(estimate, config).join('\n')}\n`);
  }
  if (options.estimate === true) return;
  output.write('Ctrl-C stops and keeps everything; the same command continues.\n');
  await execute(prepared, folder, output);
  await printReport(folder, name, options.json === true);
}

/** Opens what the run works with and closes it, whatever happens. */
async function execute(prepared: PreparedRun, folder: string, output: NodeJS.WriteStream): Promise<void> {
  const { config } = prepared;
  await using closing = new AsyncDisposableStack();
  const open = async (name: string | null) =>
    closing.adopt(
      name === null ? null : await openReader(name, { timeoutSeconds: config.critic.timeout }),
      async (reader) => reader?.close(),
    );
  const reader = await open(config.critic.by);
  const proposalReader = await open(readerOfProposer(config));
  const interrupt = interruptible(output);
  closing.defer(interrupt.dispose);
  const log = (text: string) => output.write(`${text}\n`);
  const engines = await openEngines(config, folder, { signal: interrupt.signal, log });
  closing.defer(engines.close);
  await executeRun({
    prepared,
    folder,
    engines: { ...engines, reader, proposalReader },
    observers: [runProgress(output)],
    signal: interrupt.signal,
  });
}

function overrides(options: RunOptions): Record<string, unknown> {
  const given: Record<string, unknown> = options.quick ? { ...QUICK } : {};
  if (options.time !== undefined) given['budget.time'] = options.time;
  if (options.tokens !== undefined) given['budget.tokens'] = options.tokens;
  if (options.rounds !== undefined) given.rounds = options.rounds;
  if (options.seeds !== undefined) given.seeds = options.seeds;
  if (options.only !== undefined) given.only = options.only;
  return given;
}

function introduce(
  output: NodeJS.WriteStream,
  { config, splits, harness, leftOut, contamination, cautions = [] }: PreparedRun,
  folder: string,
): void {
  const { copies, unused } = leftOut ?? { copies: 0, unused: 0 };
  const lines = [
    `${config.name}: ${splitsText(splits)}; harness ${shortHash(harness.hash)}`,
    firstGateText(config, splits),
    ...(copies > 0 ? [`${copies} rows have the same content as another one and are left out`] : []),
    ...(unused > 0 ? [`${unused} tasks are in no split: the split of their group has all that was asked for`] : []),
    ...(contamination === undefined ? [] : [`Caution: ${contaminationText(contamination, 'sealed test tasks')}`]),
    ...cautions.map((text) => `Caution: ${text}`),
    `time ${formatSeconds(config.budget.time)}, ${config.rounds} round(s), ${config.seeds} seed(s); everything is kept in ${folder}`,
  ];
  output.write(`${lines.flatMap((line) => wrapIndented(line, '')).join('\n')}\n`);
}

/** First Ctrl-C: stop after what is in flight, keep everything. Second: end at once. */
function interruptible(output: NodeJS.WriteStream): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    output.write('\nStopping; finished work is kept. Press Ctrl-C again to stop at once.\n');
    controller.abort(new AbortedError());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
