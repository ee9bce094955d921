import { type Command, Option } from 'commander';
import { decimalNumber, wholeNumber } from '../option-numbers.ts';
import { LAB_CONTROLS, LAB_RULES, WORLD_NAMES } from './lab-cells.ts';
import { renderGateLab } from './render-gate-lab.ts';
import { type GateLabOptions, runGateLab } from './run-gate-lab.ts';

/** Adds `lab gate` to the program. Prints to `write`, progress to `progress` (not called with --json). */
export function registerLabGateCommand(
  program: Command,
  {
    write = (text: string) => void process.stdout.write(text),
    progress = (text: string) => void process.stderr.write(text),
  }: { write?: (text: string) => void; progress?: (text: string) => void } = {},
): void {
  const lab = program.commands.find((command) => command.name() === 'lab') ?? program.command('lab');
  lab.description('measure parts of co-harness against simulated worlds, without a model');
  lab
    .command('gate')
    .description("measure the gate's false accepts, power and cost: the gate's own code in simulated searches")
    .option('--searches <n>', 'searches per cell (2000; quick: 1000)', wholeNumber)
    .option('--seed <n>', 'seed', wholeNumber, 1)
    .option('--quick', 'the short table, about a minute on two cores', false)
    .addOption(new Option('--rule <rule>', 'only this rule').choices(LAB_RULES))
    .option('--effect <e>', 'only this true effect, in score (0.05 = 5 points; 0 = null searches)', decimalNumber)
    .option('--candidates <k>', 'only this many candidates per iteration', wholeNumber)
    .addOption(new Option('--world <name>', 'only this world (otherwise all)').choices(WORLD_NAMES))
    .addOption(
      new Option('--goal <goal>', 'diffs that claim to be better, or deletions').choices(['improvement', 'not-worse']),
    )
    .addOption(new Option('--control <kind>', 'error control of the search').choices(LAB_CONTROLS))
    .option('--decision <n>', 'the error that diff number n of a run has, the earlier ones refused', wholeNumber)
    .option('--groups <n>', 'most groups of a decision', wholeNumber)
    .option('--repeats <n>', 'repeats per task and arm', wholeNumber)
    .option('--threads <n>', 'threads (all cores)', wholeNumber)
    .option('--json', 'print JSON', false)
    .action(async (options: GateLabOptions & { json: boolean }) => {
      const { json, ...settings } = options;
      const onProgress = (done: number, total: number) => {
        if (!json) progress(`\r${done} of ${total} cells`);
      };
      const report = await runGateLab({ ...settings, onProgress });
      if (!json) progress('\r');
      write(json ? `${JSON.stringify(report, null, 2)}\n` : renderGateLab(report));
    });
}
