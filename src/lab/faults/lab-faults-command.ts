import { type Command, Option } from 'commander';
import { CoHarnessError } from '../../base/errors.ts';
import type { CriticReader } from '../../critic/reader/critic-reader.ts';
import { countNumber, wholeNumber } from '../option-numbers.ts';
import type { FaultsOptions } from './measure-faults.ts';

interface CommandOptions extends Omit<FaultsOptions, 'reading'> {
  critic?: string;
  votes: number;
  failures: number;
  concurrency: number;
  timeout: number;
  json: boolean;
}

/** The reader that the text of `--critic` names; null for the evidence rules. */
type OpenReader = (critic: string, options: { timeoutSeconds: number }) => Promise<CriticReader | null>;

/** Adds `lab faults` to the program. Prints to `write`, progress to `progress` (not called with --json). */
export function registerLabFaultsCommand(
  program: Command,
  {
    openReader,
    write = (text: string) => void process.stdout.write(text),
    progress = (text: string) => void process.stderr.write(text),
  }: { openReader: OpenReader; write?: (text: string) => void; progress?: (text: string) => void },
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
        'instead: ask command:PROGRAM … or model:openai:URL#NAME about some failures of a split (held-out by default)',
      ).conflicts(['causes', 'resampling', 'repair']),
    )
    .option('--failures <n>', 'with --critic: failures asked about, balanced over labels', countNumber, 40)
    .option('--votes <n>', 'with --critic: questions a failure', countNumber, 1)
    .option('--concurrency <n>', 'with --critic: failures asked about at once', countNumber, 4)
    .option('--timeout <seconds>', 'with --critic: time that one answer may take', countNumber, 300)
    .option('--json', 'print JSON', false)
    .action(async (options: CommandOptions) => {
      const onProgress = (text: string) => {
        if (!options.json) progress(`${text}\n`);
      };
      // The scenarios are built when they are loaded: no other command should wait for them.
      const { measureFaults } = await import('./measure-faults.ts');
      const measure = async (reading?: FaultsOptions['reading']) => {
        const { report, text } = await measureFaults(
          { ...options, ...(reading === undefined ? {} : { reading }) },
          onProgress,
        );
        write(options.json ? `${JSON.stringify(report, null, 2)}\n` : text);
      };
      if (options.critic === undefined) return measure();
      return measureWithReader(options.critic, options, openReader, measure);
    });
}

/** Opens the reader, lets Ctrl-C stop its questions, closes it. Throws CoHarnessError `invalid-critic`. */
async function measureWithReader(
  critic: string,
  { failures, votes, concurrency, timeout }: CommandOptions,
  openReader: OpenReader,
  measure: (reading: FaultsOptions['reading']) => Promise<void>,
): Promise<void> {
  const reader = await openReader(critic, { timeoutSeconds: timeout });
  if (reader === null) {
    throw new CoHarnessError(
      'invalid-critic',
      `"${critic}" is no reader: lab faults measures the evidence rules without --critic. Write command:PROGRAM … or model:openai:URL#NAME.`,
      { details: { critic } },
    );
  }
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop);
  try {
    await measure({ reader, failures, votes, concurrency, signal: controller.signal });
  } finally {
    process.removeListener('SIGINT', stop);
    await reader.close();
  }
}
