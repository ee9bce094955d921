import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FaultSplit } from './fault-catalogues.ts';
import { listCauses } from './list-causes.ts';
import { renderFaultLab } from './render-fault-lab.ts';
import { renderRepairs } from './render-repairs.ts';
import { renderResampling } from './render-resampling.ts';
import { QUICK_REPAIR, runRepairs } from './repair-loop.ts';
import { QUICK_RESAMPLING, runResamplingSuite } from './resampling-suite.ts';
import { FULL_FAULT_LAB, QUICK_FAULT_LAB, runFaultLab } from './run-fault-lab.ts';

interface FaultsCommandOptions {
  full: boolean;
  seed: number;
  split?: FaultSplit;
  causes: boolean;
  resampling: boolean;
  repair: boolean;
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
    .option('--resampling', 'instead: causes confirmed among failures that another sample cures', false)
    .option(
      '--repair',
      'instead: let the loop mend every broken harness of a split (held-out by default); minutes',
      false,
    )
    .option('--json', 'print JSON', false)
    .action(async (options: FaultsCommandOptions) => {
      const onProgress = (text: string) => {
        if (!options.json) progress(`${text}\n`);
      };
      const { report, text } = await measured(options, onProgress);
      write(options.json ? `${JSON.stringify(report, null, 2)}\n` : text);
    });
}

/** The report that the options ask for, as data and as text. */
async function measured(
  { full, seed, split, causes, resampling, repair }: FaultsCommandOptions,
  onProgress: (text: string) => void,
): Promise<{ report: unknown; text: string }> {
  const options = { ...(full ? FULL_FAULT_LAB : QUICK_FAULT_LAB), seed };
  if (causes) {
    const lines = await listCauses(options);
    return { report: { schema: 'co-harness/lab-causes@1', lines }, text: `${lines.join('\n')}\n` };
  }
  if (resampling) {
    const report = await runResamplingSuite({ ...QUICK_RESAMPLING, onProgress });
    return { report, text: renderResampling(report) };
  }
  if (repair) {
    const report = await runRepairs({ ...QUICK_REPAIR, seed, ...(split === undefined ? {} : { split }), onProgress });
    return { report, text: renderRepairs(report) };
  }
  const report = await runFaultLab({ ...options, ...(split === undefined ? {} : { splits: [split] }), onProgress });
  return { report, text: renderFaultLab(report) };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new InvalidArgumentError('Expected a whole number.');
  return value;
}
