import type { Command } from 'commander';
import type { SealedTest } from '../evolution/sealed-test.ts';
import { readRunHeader } from '../evolution/start-run.ts';
import type { Version } from '../registry/version.ts';
import { ledgerOf } from '../report/ledger.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerStatusCommand(program: Command): void {
  program
    .command('status')
    .description('how far a run is')
    .argument('[run]', 'run name or folder; default: the newest')
    .option('--json', 'as JSON (schema co-harness/status@1)')
    .action(async (reference: string | undefined, { json }: { json?: boolean }) => {
      const { name, folder } = findRun(reference);
      const status = await withJournal(folder, async (journal) => {
        const header = await readRunHeader(journal);
        const versions = (await journal.entries('version')).map((entry) => entry.value as Version);
        const tests = (await journal.entries('sealed-test')).map((entry) => entry.value as SealedTest);
        const { rollouts, tokens } = await ledgerOf(journal);
        const plans = (await journal.entries('plan')).map((entry) => entry.value as { elapsedSeconds: number });
        return {
          schema: 'co-harness/status@1',
          run: name,
          folder,
          finished: tests.length >= header.seeds,
          seedsFinished: tests.length,
          seeds: header.seeds,
          versions: versions.length,
          accepted: versions.filter((version) => version.accepted).length,
          rollouts,
          tokens,
          secondsAtLastPlan: plans.at(-1)?.elapsedSeconds ?? 0,
        };
      });
      if (json) process.stdout.write(`${JSON.stringify(status)}\n`);
      else {
        const state = status.finished ? 'finished' : 'not finished; the command that started it continues it';
        process.stdout.write(
          `${name}: ${state}\n  ${status.seedsFinished} of ${status.seeds} seed${status.seeds === 1 ? '' : 's'} finished, ${status.versions} versions (${status.accepted} accepted), ` +
            `${status.rollouts} rollouts, ${status.tokens} tokens\n`,
        );
      }
    });
}
