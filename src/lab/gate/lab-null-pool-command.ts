import type { Command } from 'commander';
import { percent, points, signedPoints } from '../../base/share-text.ts';
import { openSqliteJournal } from '../../base/sqlite-journal.ts';
import { readNullPool } from '../../evolution/null-pool.ts';
import { countNumber, wholeNumber } from '../option-numbers.ts';
import { type NullPoolReport, nullPoolReport } from './null-pool-report.ts';
import { cellSection } from './render-gate-lab.ts';

/** Adds `lab null-pool` to the program. */
export function registerLabNullPoolCommand(
  program: Command,
  { write = (text: string) => void process.stdout.write(text) }: { write?: (text: string) => void } = {},
): void {
  const lab = program.commands.find((command) => command.name() === 'lab') ?? program.command('lab');
  lab
    .command('null-pool')
    .description('false accepts of whole searches resampled from real rollouts that bench/null-pool.ts collected')
    .argument('<file>', 'the pool')
    .option('--searches <n>', 'searches per cell', countNumber, 2000)
    .option('--seed <n>', 'seed', wholeNumber, 1)
    .option('--repeats <n>', 'rollouts of a task in one arm of a decision', countNumber, 1)
    .option('--candidates <k>', 'only this many candidates per iteration', countNumber)
    .option('--json', 'as JSON (schema co-harness/null-pool@1)', false)
    .action(async (file: string, options: Options) => {
      const { searches, seed, repeats, candidates, json } = options;
      const journal = openSqliteJournal(file, { readOnly: true });
      try {
        const pool = await readNullPool(journal);
        const report = nullPoolReport(pool, {
          searches,
          seed,
          repeats,
          candidates: candidates === undefined ? [1, 3, 10] : [candidates],
        });
        write(json ? `${JSON.stringify(report)}\n` : renderNullPool(report));
      } finally {
        await journal.close();
      }
    });
}

interface Options {
  searches: number;
  seed: number;
  repeats: number;
  candidates?: number;
  json: boolean;
}

function renderNullPool({ pool, cells, alpha, seed }: NullPoolReport): string {
  const fresh = cells.map(({ freshSearches }) => freshSearches);
  return [
    `${pool.name}: ${pool.rollouts} rollouts of ${pool.tasks} tasks in ${pool.groups} groups, ${pool.draws} or more draws of each in every arm`,
    ...pool.arms.map(
      ({ name, rollouts, score, difference }) =>
        `  ${name}: ${percent(score)} of ${rollouts} rollouts${difference === null ? '' : `, ${signedPoints(difference.mean)} against the pair (95% ${points(difference.low)} to ${points(difference.high)})`}`,
    ),
    '',
    ...cellSection('Searches that accept something which is not better', cells),
    `Five iterations of K candidates each. Error allowed to a search: ${alpha}. Bounds are exact (Clopper-Pearson), one-sided, 95% each, for searches of this pool:`,
    `the searches of a cell share it, without reuse it would pay for ${Math.min(...fresh)} to ${Math.max(...fresh)} of them. Seed ${seed}.`,
    '',
  ].join('\n');
}
