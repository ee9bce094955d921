import type { Command } from 'commander';
import { openRegistry } from '../registry/registry.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerShowCommand(program: Command): void {
  program
    .command('show')
    .description('one version: its decision, its diff and its harness')
    .argument('<version>', 'v3, a pair hash, or champion')
    .option('--run <run>', 'run name or folder; default: the newest')
    .option('--json', 'as JSON (schema co-harness/version@1)')
    .action(async (reference: string, options: { run?: string; json?: boolean }) => {
      const { folder } = findRun(options.run);
      const { version, harness } = await withJournal(folder, async (journal) => {
        const registry = openRegistry(`${folder}/registry`, journal);
        const found = await registry.find(reference);
        return { version: found, harness: await registry.harness(found.pair.harness) };
      });
      const files = Object.fromEntries(harness.files);
      if (options.json) {
        process.stdout.write(
          `${JSON.stringify({ schema: 'co-harness/version@1', ...version, hash: pairHash(version.pair), files })}\n`,
        );
        return;
      }
      const edits = (version.patch?.edits ?? []).map(
        (edit) => `  ${edit.path}\n    - ${text(edit.old)}\n    + ${text(edit.value)}`,
      );
      const parts = [
        `v${version.version} (${version.kind}, round ${version.round}, seed ${version.seed}): ${version.verdict}`,
        version.explanation,
        ...(edits.length > 0 ? [`Diff "${version.patch?.title}":`, ...edits] : []),
        ...predictionLines(version),
        ...(version.training === null ? [] : [`Training: ${JSON.stringify(version.training)}`]),
        'Harness files:',
        ...Object.entries(files).map(([path, content]) => `--- ${path}\n${content}`),
      ];
      process.stdout.write(`${parts.join('\n')}\n`);
    });
}

/** What was predicted of the diff, and what its gate saw. */
function predictionLines({ prediction, sideEffects }: Version): string[] {
  const effects = [
    ['failures mended', prediction === null ? null : { predicted: prediction.fix, observed: prediction.observed }],
    ['successes broken', sideEffects?.regression ?? null],
    ['tokens added', sideEffects?.cost ?? null],
  ] as const;
  const percent = (value: number | null) => (value === null ? 'not observed' : `${(value * 100).toFixed(1)}%`);
  return effects.flatMap(([what, effect]) =>
    effect === null ? [] : [`Predicted ${what}: ${percent(effect.predicted)}; observed: ${percent(effect.observed)}`],
  );
}

function text(value: unknown): string {
  if (value === undefined) return '(nothing)';
  return (typeof value === 'string' ? value : JSON.stringify(value)).split('\n').join('\n      ');
}
