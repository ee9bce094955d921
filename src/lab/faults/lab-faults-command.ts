import { type Command, Option } from 'commander';
import { wholeNumber } from '../option-numbers.ts';
import type { FaultsOptions } from './measure-faults.ts';

/** Adds `lab faults` to the program. Prints to `write`, progress to `progress` (not called with --json). */
export function registerLabFaultsCommand(
  program: Command,
  {
    write = (text: string) => void process.stdout.write(text),
    progress = (text: string) => void process.stderr.write(text),
  }: { write?: (text: string) => void; progress?: (text: string) => void } = {},
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
    .option('--json', 'print JSON', false)
    .action(async (options: FaultsOptions & { json: boolean }) => {
      const onProgress = (text: string) => {
        if (!options.json) progress(`${text}\n`);
      };
      // The scenarios are built when they are loaded: no other command should wait for them.
      const { measureFaults } = await import('./measure-faults.ts');
      const { report, text } = await measureFaults(options, onProgress);
      write(options.json ? `${JSON.stringify(report, null, 2)}\n` : text);
    });
}
