import { type Command, Option } from 'commander';
import { CoHarnessError } from '../../base/errors.ts';
import { interruptSignal } from '../../base/interrupt-signal.ts';
import type { CriticReader } from '../../critic/reader/critic-reader.ts';
import { READER_FORMS } from '../../critic/reader/parse-critic.ts';
import { appended } from '../option-list.ts';
import { countNumber, wholeNumber } from '../option-numbers.ts';
import type { FaultsOptions } from './measure-faults.ts';
import type { RealActor } from './real-actor.ts';

interface CommandOptions extends Omit<FaultsOptions, 'reading' | 'actor' | 'signal'> {
  critic?: string;
  run?: string;
  pair: string;
  config?: string;
  set: string[];
  tasks: number;
  votes: number;
  failures: number;
  concurrency: number;
  timeout: number;
  json: boolean;
}

/** The reader that the text of `--critic` names; null for the evidence rules. */
type OpenReader = (critic: string, options: { timeoutSeconds: number }) => Promise<CriticReader | null>;

/** The pair that `--run` and `--pair` name, to be closed in the end. */
type OpenActor = (
  run: string,
  options: { pair: string; config?: string; set: readonly string[]; tasks: number; signal: AbortSignal },
) => Promise<RealActor & { close(): Promise<void> }>;

/** Adds `lab faults` to the program. Prints to `write`, progress to `progress` (not called with --json). */
export function registerLabFaultsCommand(
  program: Command,
  {
    openReader,
    openActor,
    write = (text: string) => void process.stdout.write(text),
    progress = (text: string) => void process.stderr.write(text),
  }: {
    openReader: OpenReader;
    openActor: OpenActor;
    write?: (text: string) => void;
    progress?: (text: string) => void;
  },
): void {
  const lab = program.commands.find((command) => command.name() === 'lab') ?? program.command('lab');
  lab
    .command('faults')
    .description('measure the critic: working harnesses broken on purpose, acted by a scripted model')
    .option('--full', 'more mutations, tasks and re-runs: some minutes', false)
    .option('--seed <n>', 'seed', wholeNumber, 1)
    .addOption(new Option('--split <split>', 'only these kinds').choices(['development', 'heldOut']))
    .option('--causes', 'list the development mutations and what the evidence critic says of each', false)
    .option('--resampling', 'instead: causes confirmed among failures that another sample cures', false)
    .option(
      '--repair',
      'instead: let the loop mend every broken harness of a split (held-out by default); minutes',
      false,
    )
    .addOption(
      new Option(
        '--critic <critic>',
        `instead: ask ${READER_FORMS} about some failures of a split (held-out by default)`,
      ).conflicts(['causes', 'resampling', 'repair']),
    )
    .addOption(
      new Option(
        '--run <run>',
        'break a version of this run and let its own model act, in the place of the scripted one; minutes, Ctrl-C keeps its rollouts',
      ).conflicts(['causes', 'resampling', 'repair', 'critic']),
    )
    .option('--pair <pair>', 'with --run: the version to break', 'champion')
    .option('--tasks <n>', 'with --run: train tasks to break it on', countNumber, 60)
    .option('--config <path>', 'with --run: its config, where the run no longer knows it')
    .option('--set <key=value>', 'with --run: as the run was started with; may be repeated', appended, [])
    .option('--failures <n>', 'with --critic: failures asked about, balanced over labels', countNumber, 40)
    .option('--votes <n>', 'with --critic: questions a failure', countNumber, 1)
    .option('--concurrency <n>', 'with --critic: failures asked about at once', countNumber, 4)
    .option('--timeout <seconds>', 'with --critic: time that one answer may take', countNumber, 300)
    .option('--json', 'print JSON', false)
    .action(async (options: CommandOptions, command: Command) => {
      refuseIdle(command);
      const onProgress = (text: string) => {
        if (!options.json) progress(`${text}\n`);
      };
      // The scenarios are built when they are loaded: no other command should wait for them.
      const { measureFaults } = await import('./measure-faults.ts');
      const measure = async (others: Parameters<Measure>[0] = {}) => {
        const { report, text } = await measureFaults({ ...options, ...others }, onProgress);
        write(options.json ? `${JSON.stringify(report, null, 2)}\n` : text);
      };
      if (options.run !== undefined) return measureWithActor(options.run, options, openActor, measure);
      if (options.critic === undefined) return measure();
      return measureWithReader(options.critic, options, openReader, measure);
    });
}

/** Options that do nothing without another one. */
const WITH: Readonly<Record<string, readonly string[]>> = {
  run: ['pair', 'tasks', 'config', 'set'],
  critic: ['failures', 'votes', 'concurrency', 'timeout'],
};

/** Throws CoHarnessError `invalid-option` for one that would be ignored in silence. */
function refuseIdle(command: Command): void {
  for (const [needed, options] of Object.entries(WITH)) {
    if (command.getOptionValue(needed) !== undefined) continue;
    const idle = options.find((option) => command.getOptionValueSource(option) === 'cli');
    if (idle !== undefined) throw new CoHarnessError('invalid-option', `--${idle} does nothing without --${needed}.`);
  }
}

type Measure = (others: Pick<FaultsOptions, 'reading' | 'actor' | 'signal'>) => Promise<void>;

async function measureWithActor(
  run: string,
  options: CommandOptions,
  openActor: OpenActor,
  measure: Measure,
): Promise<void> {
  const signal = interruptSignal();
  const actor = await openActor(run, { ...options, signal });
  try {
    await measure({ actor, signal });
  } finally {
    await actor.close();
  }
}

/** Opens the reader and closes it. Throws CoHarnessError `invalid-critic`. */
async function measureWithReader(
  critic: string,
  { failures, votes, concurrency, timeout }: CommandOptions,
  openReader: OpenReader,
  measure: Measure,
): Promise<void> {
  const reader = await openReader(critic, { timeoutSeconds: timeout });
  if (reader === null) {
    throw new CoHarnessError(
      'invalid-critic',
      `"${critic}" is no reader: lab faults measures the evidence rules without --critic. Write ${READER_FORMS}.`,
      { details: { critic } },
    );
  }
  const signal = interruptSignal();
  try {
    await measure({ reading: { reader, failures, votes, concurrency }, signal });
  } finally {
    await reader.close();
  }
}
