import type { Command } from 'commander';
import { wrapIndented } from '../base/wrap-text.ts';
import { sealedTests } from '../evolution/sealed-test.ts';
import { readRunHeader } from '../evolution/start-run.ts';
import type { Version } from '../registry/version.ts';
import { ledgerOf } from '../report/ledger.ts';
import { namedRun, withRunArgument } from './run-argument.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerStatusCommand(program: Command): void {
  withRunArgument(program.command('status'))
    .description('how far a run is')
    .option('--json', 'as JSON (schema co-harness/status@1)')
    .action(async (argument: string | undefined, options: { run?: string; json?: boolean }) => {
      const { name, folder } = findRun(namedRun(argument, options));
      const status = await withJournal(folder, async (journal) => {
        const header = await readRunHeader(journal);
        const versions = (await journal.entries('version')).map((entry) => entry.value as Version);
        const tests = await sealedTests(journal);
        // The header has the number that the run was first given; more may have been asked for since.
        const seeds = Math.max(header.seeds, ...versions.map(({ seed }) => seed));
        const { rollouts, tokens } = await ledgerOf(journal);
        const plans = (await journal.entries('plan')).map((entry) => entry.value as { elapsedSeconds: number });
        return {
          schema: 'co-harness/status@1',
          run: name,
          folder,
          finished: tests.length >= seeds,
          seedsFinished: tests.length,
          seeds,
          versions: versions.length,
          accepted: versions.filter((version) => version.accepted).length,
          changes: countChanges(versions),
          rollouts,
          tokens,
          secondsAtLastPlan: plans.at(-1)?.elapsedSeconds ?? 0,
        };
      });
      if (options.json) process.stdout.write(`${JSON.stringify(status)}\n`);
      else {
        const state = status.finished ? 'finished' : 'not finished; the command that started it continues it';
        const { proposed, accepted, rollbacks } = status.changes;
        const counts = [
          `${status.seedsFinished} of ${status.seeds} seed${status.seeds === 1 ? '' : 's'} finished`,
          `${accepted} of ${proposed} changes accepted`,
          ...(rollbacks === 0 ? [] : [`${rollbacks} rollback${rollbacks === 1 ? '' : 's'}`]),
          `${status.rollouts} rollouts`,
          `${status.tokens} tokens`,
        ];
        const lines = [...wrapIndented(`${name}: ${state}`, ''), ...wrapIndented(counts.join(', '), '  ')];
        process.stdout.write(`${lines.join('\n')}\n`);
      }
    });
}

/** What was proposed to change a pair and what of it was accepted; rollbacks apart, seed pairs nowhere. */
function countChanges(versions: readonly Version[]): { proposed: number; accepted: number; rollbacks: number } {
  const changes = versions.filter(({ kind }) => kind === 'harness' || kind === 'weights');
  return {
    proposed: changes.length,
    accepted: changes.filter(({ accepted }) => accepted).length,
    rollbacks: versions.filter(({ kind }) => kind === 'rollback').length,
  };
}
