/**
 * Whether the loop takes back, with a real model, a diff that helped the old weights and hurts the new ones. The old weights are the base of a run of examples/word-problems, the new ones those
 * that the run trained. φ is the run's champion with one of its worked examples, sampled at --temperature; the diff decodes greedily and shows 8 other examples, all of them sums: the base
 * should learn from them what a call looks like; the trained weights know that, and may be drawn to adding. What is proposed and what is trained is handed out; all else is the real loop: gate of the
 * diff, samples, gate of the weights, audits.
 *
 *     npx node bench/rollback.ts --run RUN [--pair champion] [--temperature 0.5] [--time 30m] [--out FOLDER] [--set key=value …] [--json]
 *
 * Stop it at any time (Ctrl-C) and give the same command again: it continues. Gate tasks are the run's own; its sealed tasks are not touched: groups of `train` stand in for them.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contentHash } from '../src/base/content-hash.ts';
import { AbortedError, CoHarnessError } from '../src/base/errors.ts';
import { interruptSignal } from '../src/base/interrupt-signal.ts';
import { signedPoints } from '../src/base/share-text.ts';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { gateSubject } from '../src/cli/gate-subject.ts';
import { openRunEngines } from '../src/cli/open-run-engines.ts';
import { runProgress } from '../src/cli/run-progress.ts';
import { runConfigSchema } from '../src/evolution/run-config.ts';
import type { WeightTrainer } from '../src/evolution/run-context.ts';
import { executeRun } from '../src/evolution/start-run.ts';
import { applyEdits } from '../src/harness/apply-patch.ts';
import type { Harness } from '../src/harness/harness.ts';
import { decimalNumber } from '../src/lab/option-numbers.ts';
import { collectDemonstrations, exampleFrom } from '../src/patch/demonstrations.ts';
import { examplePath, exampleText, fileEdit, present, valueEdit } from '../src/patch/harness-edits.ts';
import type { Patch } from '../src/patch/patch.ts';
import { patchId } from '../src/patch/patch-id.ts';
import { scopeOf } from '../src/patch/patch-scope.ts';
import { openRegistry } from '../src/registry/registry.ts';
import type { Version } from '../src/registry/version.ts';
import { versionTitle } from '../src/registry/version-title.ts';
import { cutGroups } from '../src/task/cut-groups.ts';

const { values: options } = parseArgs({
  options: {
    run: { type: 'string' },
    pair: { type: 'string', default: 'champion' },
    temperature: { type: 'string', default: '0.5' },
    time: { type: 'string', default: '30m' },
    out: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});
/** Sealed tasks of the trial, which a run cannot do without. */
const SEALED = 8;
/** Worked examples of the diff. */
const EXAMPLES = 8;
/** How demonstrations name what one call with two numbers added looks like. */
const SUM = 'calculator{expression:#+#}';

const signal = interruptSignal();
const subject = await gateSubject(options.run, options);
const { pair, training } = subject.version;
const { adapter } = pair.model;
if (adapter === null || training === null)
  throw new CoHarnessError('invalid-option', `${options.pair} is no weight update. Name one with --pair.`);
const parent = withFirstExample(subject.harness);
const { taken: sealed, rest: train } = cutGroups(subject.train, SEALED);
const groups = new Set(subject.tasks.map(({ group }) => group)).size;
const config = runConfigSchema.parse({
  ...subject.config,
  only: null,
  rounds: 1,
  seeds: 1,
  iterations: 1,
  budget: { time: options.time },
  // What there is: the question is what happens, not what it costs.
  sizes: { ...subject.config.sizes, testTasks: SEALED, gateGroups: groups, auditGroups: groups },
});
const folder = options.out ?? join(subject.folder, 'rollback');
const engines = await openRunEngines(subject.folder, subject.header, signal);
const journal = openSqliteJournal(join(folder, 'run.sqlite'));
let wasStopped = false;
try {
  const splits = { train, gate: [...subject.tasks], test: sealed };
  const hashes = Object.values(splits).map((tasks) => tasks.map(({ hash }) => hash));
  const identity = contentHash({ rollback: parent.hash, pair, hashes, temperature: options.temperature });
  await executeRun({
    prepared: { config, harness: parent, splits, verifier: subject.verifier, identity },
    folder,
    engines: {
      ...engines,
      models: { ...engines.models, base: { ...pair.model, adapter: null } },
      trainer: trainedBefore(),
    },
    observers: [runProgress(process.stderr)],
    signal,
    journal,
    proposer: ({ harness }) => [sumsAlone(harness)],
  });
} catch (error) {
  if (!(error instanceof AbortedError)) throw error;
  wasStopped = true;
}
const versions = await openRegistry(join(folder, 'registry'), journal).versions();
await journal.close();
await engines.close();
report(versions);
// Engines may hold threads that know nothing of the end.
process.exit(wasStopped ? 130 : 0);

/** φ as its base weights can hardly use it and its trained weights can. */
function withFirstExample(harness: Harness): Harness {
  const temperature = decimalNumber(options.temperature);
  return applyEdits(
    harness,
    present([
      valueEdit(harness, 'harness.yaml', '/sampling/temperature', temperature),
      ...harness.examples.slice(1).map((example) => fileEdit(harness, examplePath(example), undefined)),
    ]),
  );
}

function sumsAlone(harness: Harness): Patch {
  const shown = collectDemonstrations(harness, train, [])
    .filter(({ shape }) => shape === SUM)
    .slice(0, EXAMPLES);
  if (shown.length < EXAMPLES)
    throw new CoHarnessError(
      'too-few-tasks',
      `${subject.name} has ${shown.length} train tasks whose reference adds two numbers; ${EXAMPLES} are needed.`,
    );
  const edits = present([
    valueEdit(harness, 'harness.yaml', '/sampling/temperature', 0),
    ...harness.examples.map((example) => fileEdit(harness, examplePath(example), undefined)),
    ...shown.map((demonstration, position) => {
      const example = exampleFrom(demonstration, position, 'text');
      return example && fileEdit(harness, examplePath(example), exampleText(example));
    }),
  ]);
  return {
    id: patchId({ base: harness.hash, edits }),
    base: harness.hash,
    title: `decode greedily and show ${shown.length} worked examples, all of them sums`,
    proposer: 'bench',
    target: null,
    edits,
    scope: scopeOf(edits),
    probe: { kind: 'prompt-changed' },
    relaxes: [],
    usesTasks: shown.map(({ task }) => task),
    predictedFix: null,
  };
}

/** Hands out the weights that the run trained, whatever D_t holds. */
function trainedBefore(): WeightTrainer {
  const { rows, firstLoss, lastLoss, seconds } = training as NonNullable<typeof training>;
  return {
    train: async () => ({ adapter: adapter as NonNullable<typeof adapter>, rows, firstLoss, lastLoss, seconds }),
  };
}

function report(all: readonly Version[]): void {
  const rollback = all.find(({ kind }) => kind === 'rollback');
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ schema: 'co-harness/bench-rollback@1', folder, wasStopped, versions: all }, null, 2)}\n`,
    );
    return;
  }
  for (const version of all) {
    const effect = version.decision?.whole ?? version.rolledBack?.evidence;
    const shown =
      effect === undefined
        ? ''
        : `, ${signedPoints(effect.mean)} (${signedPoints(effect.low)} to ${signedPoints(effect.high)})`;
    process.stdout.write(`v${version.version} ${versionTitle(version)}: ${version.verdict}${shown}\n`);
  }
  process.stdout.write(
    rollback === undefined
      ? 'No rollback.\n'
      : `Taken back: v${rollback.rolledBack?.undoes.join(', v')} (${rollback.reason}).\n`,
  );
}
