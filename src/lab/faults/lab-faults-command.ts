import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FaultSplit } from './fault-catalogues.ts';
import { listCauses } from './list-causes.ts';
import { renderFaultLab } from './render-fault-lab.ts';
import { FULL_FAULT_LAB, QUICK_FAULT_LAB, runFaultLab } from './run-fault-lab.ts';

interface FaultsCommandOptions {
  full: boolean;
  seed: number;
  split?: FaultSplit;
  causes: boolean;
  json: boolean;
}

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
    .option('--json', 'print JSON', false)
    .action(async ({ full, seed, split, causes, json }: FaultsCommandOptions) => {
      const options = { ...(full ? FULL_FAULT_LAB : QUICK_FAULT_LAB), seed };
      if (causes) {
        write(await listCauses(options));
        return;
      }
      const onProgress = (text: string) => {
        if (!json) progress(`${text}\n`);
      };
      const report = await runFaultLab({ ...options, ...(split === undefined ? {} : { splits: [split] }), onProgress });
      write(json ? `${JSON.stringify(report, null, 2)}\n` : renderFaultLab(report));
    });
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Expected a whole number.');
  return value;
}
