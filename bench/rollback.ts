/**
 * Whether the loop takes back, with a real model, a diff that helped the old weights and hurts the new ones. The old weights are the base of a run, the new ones those that the run trained;
 * φ is the run's champion sampled at --temperature (which its weights bear and the base does not), the diff decodes greedily and leaves --examples of the worked examples.
 * Everything else is the real loop: gate of the diff, gate of the weights, audits; what it hands out is what was proposed, and trained, before.
 *
 *     npx node bench/rollback.ts --run RUN [--pair champion] [--temperature 1] [--examples 2] [--time 20m] [--out FOLDER] [--set key=value …] [--json]
 *
 * Stop it at any time (Ctrl-C) and give the same command again: it continues. Gate tasks are the run's own; its sealed tasks are not touched: eight groups of `train` stand in for them.
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
import { countNumber, decimalNumber } from '../src/lab/option-numbers.ts';
import { examplePath, fileEdit, present, valueEdit } from '../src/patch/harness-edits.ts';
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
    temperature: { type: 'string', default: '1' },
    examples: { type: 'string', default: '2' },
    time: { type: 'string', default: '20m' },
    out: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});
/** Sealed tasks of the trial, which a run cannot do without. */
const SEALED = 8;

const signal = interruptSignal();
const subject = await gateSubject(options.run, options);
const { pair, training } = subject.version;
const { adapter } = pair.model;
if (adapter === null || training === null)
  throw new CoHarnessError('invalid-option', `${options.pair} is no weight update. Name one with --pair.`);
const parent = changed(subject.harness, 'harness.yaml', '/sampling/temperature', decimalNumber(options.temperature));
const { taken: sealed, rest: train } = cutGroups(subject.train, SEALED);
const config = runConfigSchema.parse({
  ...subject.config,
  only: null,
  rounds: 1,
  seeds: 1,
  iterations: 1,
  budget: { time: options.time },
  sizes: { testTasks: SEALED, auditGroups: subject.tasks.length },
});
const folder = options.out ?? join(subject.folder, 'rollback');
const engines = await openRunEngines(subject.folder, subject.header, signal);
const journal = openSqliteJournal(join(folder, 'run.sqlite'));
let wasStopped = false;
try {
  const splits = { train, gate: [...subject.tasks], test: sealed };
  const hashes = Object.values(splits).map((tasks) => tasks.map(({ hash }) => hash));
  const identity = contentHash({ rollback: parent.hash, pair, hashes, examples: options.examples });
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
    journal: { ...journal, close: async () => {} },
    proposer: ({ harness }) => [fewerExamples(harness)],
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

function changed(harness: Harness, file: string, pointer: string, value: unknown): Harness {
  return applyEdits(harness, present([valueEdit(harness, file, pointer, value)]));
}

/** Greedy decoding, which the old weights need, and a shorter prompt, which the new ones cannot bear. */
function fewerExamples(harness: Harness): Patch {
  const left = countNumber(options.examples);
  const edits = present([
    valueEdit(harness, 'harness.yaml', '/sampling/temperature', 0),
    ...harness.examples.slice(left).map((example) => fileEdit(harness, examplePath(example), undefined)),
  ]);
  return {
    id: patchId({ base: harness.hash, edits }),
    base: harness.hash,
    title: `decode greedily and show ${left} of ${harness.examples.length} worked examples`,
    proposer: 'bench',
    target: null,
    edits,
    scope: scopeOf(edits),
    probe: { kind: 'prompt-changed' },
    relaxes: [],
    usesTasks: [],
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
