/**
 * Whether the loop mends what was broken, with a real model: a run's champion is broken by one held-out mutation at a time; those that cost at least 20 points on tasks kept apart go to
 * `run --only harness`, and what came of it is measured on the same tasks (greedy, paired, bootstrap over groups).
 *
 *     npx node bench/repairs.ts --run RUN [--pair champion] [--mutations 6] [--tasks 160] [--time 6m] [--candidates 8] [--seed 1] [--out FOLDER] [--set key=value …] [--json]
 *     npx node bench/repairs.ts --run RUN --edit harness.yaml#/batching/inFlight=1      # a change of one's own in place of the mutations, whatever it costs
 *     npx node bench/repairs.ts --run RUN --edit middleware/10-x.yaml='"kind: verification-turn"'  # a whole file
 *
 * --time, --candidates: of each mending run (of what no failure asks for, one candidate in eight). Stop it at any time (Ctrl-C) and give the same command again: it continues. The tasks are whole groups of the run's `train` split that no mending run
 * sees (the run that made the champion may have); gate tasks are the run's own; its sealed tasks are not touched. The output names held-out mutations: not for people who write rules.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contentHash, shortHash } from '../src/base/content-hash.ts';
import { AbortedError, CoHarnessError } from '../src/base/errors.ts';
import { inTurns } from '../src/base/in-turns.ts';
import { interruptSignal } from '../src/base/interrupt-signal.ts';
import type { Journal } from '../src/base/journal.ts';
import { percent, signedPoints } from '../src/base/share-text.ts';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { editedByOptions } from '../src/cli/edit-option.ts';
import { openRealActor } from '../src/cli/open-real-actor.ts';
import { runProgress } from '../src/cli/run-progress.ts';
import { readerOfProposer, runConfigSchema } from '../src/evolution/run-config.ts';
import { mend } from '../src/lab/faults/mend.ts';
import { LEAST_LOSS, type Mutation } from '../src/lab/faults/mutation/mutation.ts';
import { costlyRollouts, mutationsOfRun, passRate } from '../src/lab/faults/real-actor.ts';
import { ENOUGH_RESTORED } from '../src/lab/faults/repair-loop.ts';
import { countNumber } from '../src/lab/option-numbers.ts';
import { groupBootstrap, groupMeans } from '../src/statistics/group-bootstrap.ts';
import { cutGroups } from '../src/task/cut-groups.ts';
import { isSuccess } from '../src/trajectory/is-success.ts';
import type { Trajectory } from '../src/trajectory/trajectory.ts';

const { values: options } = parseArgs({
  options: {
    run: { type: 'string' },
    pair: { type: 'string', default: 'champion' },
    mutations: { type: 'string', default: '6' },
    tasks: { type: 'string', default: '160' },
    time: { type: 'string', default: '6m' },
    candidates: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
    edit: { type: 'string', multiple: true, default: [] },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});
/** Sealed tasks of a mending run, which a run cannot do without. */
const SEALED = 8;
/** Tasks that a mending run mines and screens on. */
const FEWEST_TRAINED = 100;

/** What is done to φ. */
type Break = Pick<Mutation, 'kind' | 'path' | 'harness'>;

interface Repair {
  kind: string;
  path: string;
  intact: number;
  broken: number;
  repaired: number;
  /** (repaired − broken) / (intact − broken); null where nothing was lost. */
  restored: number | null;
  /** Repaired minus intact on the same tasks. */
  gap: { mean: number; low: number; high: number } | undefined;
  accepted: string[];
}

const signal = interruptSignal();
const seed = countNumber(options.seed);
const folderOf = (folder: string) => options.out ?? join(folder, 'repairs');
const actor = await openRealActor(options.run, {
  ...options,
  tasks: countNumber(options.tasks),
  journalFile: (folder) => join(folderOf(folder), 'measured.sqlite'),
  signal,
});
const { subject, engines, tasks: kept, rollOut } = actor;
const { taken: sealed, rest: train } = cutGroups(actor.train, SEALED);
const folder = folderOf(subject.folder);
const repairs: Repair[] = [];
let costless = 0;
let wasStopped = false;
try {
  refuseOthers();
  await repairAll(ownBreak());
} catch (error) {
  if (!(error instanceof AbortedError)) throw error;
  wasStopped = true;
} finally {
  await actor.close();
}
report();
// Engines may hold threads that know nothing of the end.
process.exit(wasStopped ? 130 : 0);

/** `own` in place of the mutations, whatever it costs. */
async function repairAll(own: readonly [Break] | null): Promise<void> {
  const before = await rollOut(subject.harness, kept);
  say(`intact: ${percent(passRate(before))} of ${kept.length} tasks`);
  for (const mutation of own ?? labelsInTurns(mutationsOfRun(actor.scenario, 'heldOut', { perKind: 2, seed }))) {
    if (repairs.length === countNumber(options.mutations)) return;
    const broken = await (own === null ? costlyRollouts(mutation, before, actor) : rollOut(mutation.harness, kept));
    if (broken === null) {
      costless++;
      continue;
    }
    say(`${mutation.kind} at ${mutation.path}: ${percent(passRate(before))} → ${percent(passRate(broken))}`);
    const { harness, accepted } = await mendingRun(mutation);
    const after = await rollOut(harness, kept);
    const { kind, path } = mutation;
    const [intact, lost, repaired] = [passRate(before), passRate(broken), passRate(after)];
    const scoreAt = (rollouts: readonly Trajectory[], index: number) =>
      Number(isSuccess(rollouts[index] as Trajectory));
    const differences = kept.map(({ group }, index) => ({
      group,
      value: scoreAt(after, index) - scoreAt(before, index),
    }));
    const gap = groupBootstrap([...groupMeans(differences).values()], { seed });
    const restored = intact > lost ? (repaired - lost) / (intact - lost) : null;
    repairs.push({ kind, path, intact, broken: lost, repaired, restored, gap, accepted });
    say(lineOf(repairs.at(-1) as Repair));
  }
}

/** Nothing here opens a reader or a proposer of somebody's own, and mending runs need tasks to mine and screen on. */
function refuseOthers(): void {
  const { config } = subject;
  if (config.critic.by !== 'evidence' || readerOfProposer(config) !== null)
    throw new CoHarnessError('invalid-config', 'Repairs are measured with the evidence critic and operators alone.');
  if (actor.train.length < FEWEST_TRAINED + SEALED)
    throw new CoHarnessError(
      'too-few-tasks',
      `${subject.train.length} train tasks leave ${actor.train.length} for the mending runs, which need ${FEWEST_TRAINED + SEALED}. Give fewer with --tasks.`,
    );
}

/** The edits of the command line as one break; null where there are none. */
function ownBreak(): [Break] | null {
  if (options.edit.length === 0) return null;
  return [{ kind: 'own edit', path: options.edit.join(', '), harness: editedByOptions(subject.harness, options.edit) }];
}

/** Labels take turns, so that the first few are of many kinds. */
function labelsInTurns(all: readonly Mutation[]): Mutation[] {
  return inTurns([...Map.groupBy(all, ({ label }) => label).values()]);
}

async function mendingRun({ harness, kind }: Break) {
  const { config: whole, version, verifier, tasks: gate } = subject;
  const config = runConfigSchema.parse({
    ...whole,
    only: 'harness',
    rounds: 1,
    seeds: 1,
    iterations: 5,
    budget: { time: options.time },
    sizes: { testTasks: SEALED, candidates: countNumber(options.candidates) },
  });
  const splits = { train, gate: [...gate], test: sealed };
  const hashes = Object.values(splits).map((tasks) => tasks.map(({ hash }) => hash));
  const identity = contentHash({ repair: kind, harness: harness.hash, pair: version.pair, hashes, seed });
  const own = join(folder, `${kind.replace(/\W+/g, '-')}-${shortHash(identity)}`);
  const journal: Journal = openSqliteJournal(join(own, 'run.sqlite'));
  const models = { ...engines.models, base: version.pair.model };
  const observers = [runProgress(process.stderr)];
  const prepared = { config, harness, splits, verifier, identity };
  try {
    return await mend({ prepared, folder: own, engines: { ...engines, models }, observers, signal, journal });
  } finally {
    await journal.close();
  }
}

function report(): void {
  const mended = repairs.filter(
    ({ restored, accepted }) => restored !== null && restored >= ENOUGH_RESTORED && accepted.length > 0,
  ).length;
  const outcome = {
    run: subject.name,
    pair: subject.version.version,
    tasks: kept.length,
    mended,
    repairs,
    costless,
    wasStopped,
  };
  const summary =
    `${mended} of ${repairs.length} mutations: at least ${percent(ENOUGH_RESTORED)} of the loss restored. ${costless} cost less than ${percent(LEAST_LOSS)}.` +
    (wasStopped ? ' Stopped; the same command continues.' : '');
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ schema: 'co-harness/bench-repairs@1', ...outcome }, null, 2)}\n`
      : `${[...repairs.map(lineOf), '', summary].join('\n')}\n`,
  );
}

function lineOf({ kind, path, intact, broken, repaired, restored, gap, accepted }: Repair): string {
  const interval =
    gap === undefined
      ? ''
      : `, ${signedPoints(gap.mean)} (${signedPoints(gap.low)} to ${signedPoints(gap.high)}) beside the intact one`;
  return (
    `${kind} at ${path}: ${percent(intact)} → ${percent(broken)} → ${percent(repaired)}, ${restored === null ? 'nothing lost' : `${percent(restored)} of the loss`}${interval}; ` +
    (accepted.join('; ') || 'nothing accepted')
  );
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
