import type { Command } from 'commander';
import colors from 'picocolors';
import { shortHash } from '../base/content-hash.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerLogCommand(program: Command): void {
  program
    .command('log')
    .description('every version that was proposed, as a tree')
    .argument('[run]', 'run name or folder; default: the newest')
    .option('--json', 'as JSON (schema co-harness/log@1)')
    .action(async (reference: string | undefined, { json }: { json?: boolean }) => {
      const { name, folder } = findRun(reference);
      const versions = await withJournal(folder, (journal) => openRegistry(`${folder}/registry`, journal).versions());
      if (json) process.stdout.write(`${JSON.stringify({ schema: 'co-harness/log@1', run: name, versions })}\n`);
      else process.stdout.write(`${renderTree(versions).join('\n')}\n`);
    });
}

/** One line a version, children indented under the version they were compared with. */
function renderTree(versions: readonly Version[]): string[] {
  const depth = new Map<number, number>();
  return versions.map((version) => {
    const level = version.parent === null ? 0 : (depth.get(version.parent) ?? 0) + 1;
    depth.set(version.version, level);
    const effect = version.decision === null ? '' : ` ${(version.decision.whole.mean * 100).toFixed(1)} points`;
    const title = version.patch?.title ?? (version.kind === 'weights' ? 'new weights' : version.kind);
    const verdict = version.accepted ? colors.green(version.verdict) : colors.red(version.verdict);
    return `${'  '.repeat(level)}v${version.version} ${shortHash(pairHash(version.pair))} ${verdict}${effect}  ${title}`;
  });
}
