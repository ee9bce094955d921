import type { Command } from 'commander';
import { contentHash } from '../base/content-hash.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash } from '../registry/version.ts';
import { championName, findVersion, VERSION_HELP } from './find-version.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerRollbackCommand(program: Command): void {
  program
    .command('rollback')
    .description('make an earlier version the champion again, as a new entry')
    .argument('<version>', VERSION_HELP)
    .option('--run <run>', 'run name or folder; default: the newest')
    .option('--reason <text>', 'kept with the entry', 'asked for by the user')
    .option('--json', 'the new entry as JSON (schema co-harness/version@1)')
    .action(async (reference: string, options: { run?: string; reason: string; json?: boolean }) => {
      const { name, folder } = findRun(options.run);
      const { entry, refused, place, isNew } = await withJournal(
        folder,
        async (journal) => {
          const registry = openRegistry(`${folder}/registry`, journal);
          const target = await findVersion(registry, reference);
          const current = await registry.champion(target.seed);
          if (pairHash(target.pair) === pairHash(current.pair)) {
            const place = championName(current, await registry.versions());
            return { entry: current, place, refused: null, isNew: false };
          }
          const stepKey = contentHash({ step: 'rollback', from: current.version, to: target.version });
          const entry = await registry.record(
            stepKey,
            {
              seed: target.seed,
              round: current.round,
              parent: current.version,
              kind: 'rollback',
              pair: target.pair,
              verdict: 'rollback',
              reason: 'user',
              explanation: `Back to v${target.version}: ${options.reason}`,
              patch: null,
              decision: null,
              prediction: null,
              training: null,
            },
            await registry.harness(target.pair.harness),
          );
          const place = championName(entry, await registry.versions());
          return { entry, place, refused: target.accepted ? null : target, isNew: true };
        },
        false,
      );
      if (options.json) process.stdout.write(`${JSON.stringify({ schema: 'co-harness/version@1', ...entry })}\n`);
      else if (isNew) process.stdout.write(`${name}: v${entry.version} is the ${place}: ${entry.explanation}\n`);
      else
        process.stdout.write(
          `${name}: v${entry.version} is the ${place} already, with that very pair; nothing was written.\n`,
        );
      if (refused !== null)
        process.stderr.write(
          `Note: the gate had refused v${refused.version} (${refused.verdict}); it is the ${place} all the same.\n`,
        );
    });
}
