import { join } from 'node:path';
import type { Command } from 'commander';
import { writeAtomically } from '../base/atomic-file.ts';
import { renderReport } from '../report/render-report.ts';
import { readReport } from '../report/report-data.ts';
import { namedRun, withRunArgument } from './run-argument.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerReportCommand(program: Command): void {
  withRunArgument(program.command('report'))
    .description('the sealed results, decisions and costs of a run')
    .option('--json', 'the report as JSON (schema co-harness/report@1)')
    .action(async (argument: string | undefined, options: { run?: string; json?: boolean }) => {
      const { name, folder } = findRun(namedRun(argument, options));
      await printReport(folder, name, options.json === true);
    });
}

/** Prints the report and writes report/report.json and report/report.txt beside the journal. */
export async function printReport(folder: string, name: string, json: boolean): Promise<void> {
  const data = await withJournal(folder, (journal) => readReport(journal, name));
  const text = renderReport(data, folder);
  await writeAtomically(join(folder, 'report', 'report.json'), `${JSON.stringify(data, null, 2)}\n`);
  await writeAtomically(join(folder, 'report', 'report.txt'), text);
  process.stdout.write(json ? `${JSON.stringify(data)}\n` : text);
}
