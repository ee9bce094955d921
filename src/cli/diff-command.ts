import type { Command } from 'commander';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { diffHarness } from '../harness/diff-harness.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash } from '../registry/version.ts';
import { findVersion, VERSION_HELP } from './find-version.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerDiffCommand(program: Command): void {
  program
    .command('diff')
    .description('how the harnesses of two versions differ')
    .argument('<from>', VERSION_HELP)
    .argument('<to>', VERSION_HELP)
    .option('--run <run>', 'run name or folder; default: the newest')
    .option('--json', 'as local edits (schema co-harness/diff@1)')
    .action(async (from: string, to: string, options: { run?: string; json?: boolean }) => {
      const { folder } = findRun(options.run);
      const [before, after] = await withJournal(folder, async (journal) => {
        const registry = openRegistry(`${folder}/registry`, journal);
        const load = async (reference: string) => {
          const { pair } = await findVersion(registry, reference);
          return { pair, harness: await registry.harness(pair.harness) };
        };
        return [await load(from), await load(to)] as const;
      });
      if (options.json) {
        process.stdout.write(
          `${JSON.stringify({ schema: 'co-harness/diff@1', from, to, edits: diffHarness(before.harness, after.harness) })}\n`,
        );
        return;
      }
      if (before.pair.harness === after.pair.harness) {
        const weights =
          pairHash(before.pair) === pairHash(after.pair) ? 'so are their weights' : 'their weights differ';
        process.stdout.write(`The harnesses of ${from} and ${to} are the same; ${weights}.\n`);
        return;
      }
      const paths = [...new Set([...before.harness.files.keys(), ...after.harness.files.keys()])].sort();
      for (const path of paths) {
        const [old, current] = [before.harness.files.get(path) ?? '', after.harness.files.get(path) ?? ''];
        if (old === current) continue;
        process.stdout.write(
          createTwoFilesPatch(path, path, old, current, from, to, { headerOptions: FILE_HEADERS_ONLY }),
        );
      }
    });
}
