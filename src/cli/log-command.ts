import type { Command } from 'commander';
import { shortHash } from '../base/content-hash.ts';
import { palette } from '../base/palette.ts';
import { signedPoints } from '../base/share-text.ts';
import { PRINT_WIDTH, wrapText } from '../base/wrap-text.ts';
import type { Effect } from '../gate/decision.ts';
import { championOf } from '../registry/match-versions.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { versionTitle } from '../registry/version-title.ts';
import { namedRun, withRunArgument } from './run-argument.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerLogCommand(program: Command): void {
  withRunArgument(program.command('log'))
    .description('every version that was proposed, as a tree')
    .option('--json', 'as JSON (schema co-harness/log@1)')
    .action(async (argument: string | undefined, options: { run?: string; json?: boolean }) => {
      const { name, folder } = findRun(namedRun(argument, options));
      const versions = await withJournal(folder, (journal) => openRegistry(`${folder}/registry`, journal).versions());
      if (options.json)
        process.stdout.write(`${JSON.stringify({ schema: 'co-harness/log@1', run: name, versions })}\n`);
      else process.stdout.write(`${renderTree(versions).join('\n')}\n`);
    });
}

/**
 * The versions of each seed as a tree, with the seed's number above it where there are several. A version is drawn under the one it was compared with,
 * and marked where it is the champion now; lines are broken at 80 columns.
 */
export function renderTree(versions: readonly Version[]): string[] {
  const seeds = [...Map.groupBy(versions, ({ seed }) => seed)];
  return seeds.flatMap(([seed, own]) => [...(seeds.length > 1 ? [`seed ${seed}`] : []), ...renderSeed(own)]);
}

/** `versions` of one seed. */
function renderSeed(versions: readonly Version[]): string[] {
  const children = Map.groupBy(versions, ({ parent }) => parent);
  const champion = championOf(versions);
  const draw = (version: Version, prefix: string, isLast: boolean, isRoot: boolean): string[] => {
    const own = children.get(version.version) ?? [];
    const branch = isRoot ? '' : isLast ? '└─ ' : '├─ ';
    const below = isRoot ? '' : `${prefix}${isLast ? '   ' : '│  '}`;
    const [first, ...further] = describe(
      version,
      version === champion,
      Math.max(LEAST_WIDTH, PRINT_WIDTH - below.length - 3),
    );
    return [
      `${prefix}${branch}${first}`,
      ...further.map((line) => `${below}${own.length > 0 ? '│' : ' '}  ${line}`),
      ...own.flatMap((child, index) => draw(child, below, index === own.length - 1, false)),
    ];
  };
  return (children.get(null) ?? []).flatMap((root) => draw(root, '', true, true));
}

/** A tree so deep that less is left goes beyond 80 columns instead. */
const LEAST_WIDTH = 40;

const colors = palette(process.stdout);

/** Lines of at most `width` characters; the first one's verdict is coloured. */
function describe(version: Version, isChampion: boolean, width: number): string[] {
  const { verdict, decision, accepted, pair } = version;
  const effect = decision === null ? '' : ` ${effectText(decision.whole)}`;
  const mark = isChampion ? ' *champion*' : '';
  const start = `v${version.version} ${shortHash(pairHash(pair))} `;
  const [first = '', ...further] = wrapText(`${start}${verdict}${mark}${effect}: ${versionTitle(version)}`, width);
  const colored = (accepted ? colors.green : colors.red)(verdict);
  return [`${start}${colored}${first.slice(start.length + verdict.length)}`, ...further];
}

function effectText({ mean, low, high }: Effect): string {
  return `${signedPoints(mean)} (${signedPoints(low)} to ${signedPoints(high)})`;
}
