import type { Command } from 'commander';
import { wrapIndented } from '../base/wrap-text.ts';
import { checkRun } from '../registry/check-run.ts';
import { namedRun, withRunArgument } from './run-argument.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerCheckCommand(program: Command): void {
  withRunArgument(program.command('check'))
    .description('recompute every hash of a run: harnesses, adapters, datasets, rollouts, versions and decisions')
    .option('--json', 'as JSON (schema co-harness/check@1)')
    .action(async (argument: string | undefined, options: { run?: string; json?: boolean }) => {
      const { name, folder } = findRun(namedRun(argument, options));
      const { checked, problems } = await withJournal(folder, (journal) => checkRun(folder, journal));
      if (options.json)
        process.stdout.write(`${JSON.stringify({ schema: 'co-harness/check@1', run: name, checked, problems })}\n`);
      else {
        const counts = Object.entries(checked).map(([what, count]) => `${count} ${what}`);
        const verdict = problems.length === 0 ? 'all as written' : `${problems.length} not as written`;
        const lines = [`${name}: ${verdict}`, ...wrapIndented(`checked: ${counts.join(', ')}`, '  ')];
        process.stdout.write(`${lines.join('\n')}\n`);
        for (const problem of problems) process.stdout.write(`  ${problem}\n`);
      }
      if (problems.length > 0) process.exitCode = 1;
    });
}
