import type { Command } from 'commander';
import { percent, points, signedPoints } from '../base/share-text.ts';
import { PRINT_WIDTH, wrapIndented, wrapText } from '../base/wrap-text.ts';
import type { Effect, GateDecision } from '../gate/decision.ts';
import { openRegistry } from '../registry/registry.ts';
import { pairHash, type Version } from '../registry/version.ts';
import { findVersion, VERSION_HELP } from './find-version.ts';
import { findRun, withJournal } from './run-folders.ts';

export function registerShowCommand(program: Command): void {
  program
    .command('show')
    .description('one version: its decision, its evidence and its diff')
    .argument('<version>', VERSION_HELP)
    .option('--run <run>', 'run name or folder; default: the newest')
    .option('--files', 'also the files of its harness')
    .option('--json', 'as JSON with the files (schema co-harness/version@1)')
    .action(async (reference: string, options: { run?: string; files?: boolean; json?: boolean }) => {
      const { folder } = findRun(options.run);
      const { version, harness } = await withJournal(folder, async (journal) => {
        const registry = openRegistry(`${folder}/registry`, journal);
        const found = await findVersion(registry, reference);
        return { version: found, harness: await registry.harness(found.pair.harness) };
      });
      const files = Object.fromEntries(harness.files);
      if (options.json) {
        process.stdout.write(
          `${JSON.stringify({ schema: 'co-harness/version@1', ...version, hash: pairHash(version.pair), files })}\n`,
        );
        return;
      }
      const lines = [...renderVersion(version), ...renderFiles(files, options.files === true)];
      process.stdout.write(`${lines.join('\n')}\n`);
    });
}

/** A version for people. Prose is wrapped at 80 columns; what stands in a file keeps its lines. */
function renderVersion(version: Version): string[] {
  const edits = version.patch?.edits ?? [];
  return [
    `v${version.version} (${version.kind}, round ${version.round}, seed ${version.seed}): ${version.verdict}`,
    ...wrapText(version.explanation, PRINT_WIDTH),
    ...evidenceLines(version),
    ...predictionLines(version),
    ...trainingLines(version),
    ...(edits.length > 0 ? [`Diff "${version.patch?.title}":`] : []),
    ...edits.flatMap((edit) => [`  ${edit.path}`, ...marked('-', edit.old), ...marked('+', edit.value)]),
  ];
}

function evidenceLines({ decision }: Version): string[] {
  if (decision === null) return [];
  const { whole, tokens, pairs } = decision;
  return [
    `Gate: ${percent(whole.parent)} -> ${percent(whole.child)} on ${pairs} pairs of rollouts in ${whole.groups} groups`,
    ...effectLine('difference', decision, whole),
    ...effectLine('targeted', decision, decision.targeted),
    ...effectLine('held out', decision, decision.heldOut),
    ...wrapIndented(errorText(decision), '  '),
    `  tokens a rollout ${Math.round(tokens.parent)} -> ${Math.round(tokens.child)}`,
  ];
}

function effectLine(name: string, { evidence }: GateDecision, effect: Effect | null): string[] {
  if (effect === null) return [];
  const level = `${Number((evidence.level * 100).toFixed(2))}%`;
  return [
    `  ${name} ${signedPoints(effect.mean)} (${level} ${signedPoints(effect.low)} to ${signedPoints(effect.high)})`,
  ];
}

/** The error that the decision could spend, and what the evidence came to. */
function errorText({ rule, evidence }: GateDecision): string {
  const { alpha, eValue, eValueNeeded, pValue, notWorseEValue, marginTested, looks, plannedLooks } = evidence;
  const parts = [
    `alpha ${significant(alpha)} (${rule})`,
    ...(eValue === null
      ? []
      : [`e-value ${significant(eValue)}${eValueNeeded === null ? '' : ` of ${significant(eValueNeeded)} needed`}`]),
    ...(pValue === null ? [] : [`p ${significant(pValue)}`]),
    ...(notWorseEValue === null
      ? []
      : [`not worse by ${points(marginTested)}: e-value ${significant(notWorseEValue)}`]),
    `${looks} of ${plannedLooks} looks`,
  ];
  return parts.join(', ');
}

/** Three digits that count, without trailing zeros. */
function significant(value: number): string {
  return `${Number(value.toPrecision(3))}`;
}

function trainingLines({ training }: Version): string[] {
  if (training === null) return [];
  const { rows, tasks, samples, verifiedShare, firstLoss, lastLoss, seconds } = training;
  return [
    `Trained on ${rows} rows of ${tasks} tasks (${percent(verifiedShare)} of ${samples} samples verified)`,
    `  loss ${firstLoss.toFixed(3)} -> ${lastLoss.toFixed(3)} in ${Math.round(seconds)} s`,
  ];
}

function renderFiles(files: Readonly<Record<string, string>>, whole: boolean): string[] {
  if (whole) return ['Harness files:', ...Object.entries(files).map(([path, content]) => `--- ${path}\n${content}`)];
  const paths = Object.keys(files);
  return [`Harness of ${paths.length} files (--files prints them):`, ...paths.map((path) => `  ${path}`)];
}

/** What was predicted of the diff, and what its gate saw. */
function predictionLines({ prediction, sideEffects }: Version): string[] {
  const effects = [
    ['failures mended', prediction === null ? null : { predicted: prediction.fix, observed: prediction.observed }],
    ['successes broken', sideEffects?.regression ?? null],
    ['tokens added', sideEffects?.cost ?? null],
  ] as const;
  const seen = (value: number | null) => (value === null ? 'not observed' : percent(value));
  return effects.flatMap(([what, effect]) =>
    effect === null ? [] : [`Predicted ${what}: ${seen(effect.predicted)}; observed: ${seen(effect.observed)}`],
  );
}

/** The lines of one side of an edit, each with its sign; none where that side does not exist. */
function marked(sign: '+' | '-', value: unknown): string[] {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value.replace(/\n$/, '') : JSON.stringify(value);
  return text.split('\n').map((line) => `    ${sign} ${line}`.trimEnd());
}
