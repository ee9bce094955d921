import type { Command } from 'commander';
import { shortHash } from '../base/content-hash.ts';
import { palette } from '../base/palette.ts';
import { signedPoints } from '../base/share-text.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { versionTitle } from '../registry/version-title.ts';
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

/** One line a version, drawn under the one it was compared with; what came of a champion stands below it, in order. */
export function renderTree(versions: readonly Version[]): string[] {
  const children = Map.groupBy(versions, ({ parent }) => parent);
  const draw = (version: Version, prefix: string, isLast: boolean, isRoot: boolean): string[] => {
    const own = children.get(version.version) ?? [];
    const branch = isRoot ? '' : isLast ? '└─ ' : '├─ ';
    const below = isRoot ? '' : `${prefix}${isLast ? '   ' : '│  '}`;
    return [
      `${prefix}${branch}${describe(version)}`,
      ...own.flatMap((child, index) => draw(child, below, index === own.length - 1, false)),
    ];
  };
  return (children.get(null) ?? []).flatMap((root) => draw(root, '', true, true));
}

const colors = palette(process.stdout);

function describe(version: Version): string {
  const effect = version.decision === null ? '' : ` ${signedPoints(version.decision.whole.mean)}`;
  const verdict = version.accepted ? colors.green(version.verdict) : colors.red(version.verdict);
  return `v${version.version} ${shortHash(pairHash(version.pair))} ${verdict}${effect}  ${versionTitle(version)}`;
}
