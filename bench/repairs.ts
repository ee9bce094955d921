/**
 * Whether the loop mends what was broken, with a real model: a run's champion is broken by one held-out mutation at a time; those that cost at least 20 points on tasks kept apart go to
 * `run --only harness`, and what came of it is measured on the same tasks (greedy, paired, bootstrap over groups).
 *
 *     npx node bench/repairs.ts --run RUN [--pair champion] [--mutations 6] [--tasks 160] [--time 6m] [--seed 1] [--out FOLDER] [--set key=value …] [--json]
 *
 * --time: of each mending run. Stop it at any time (Ctrl-C) and give the same command again: it continues. The tasks are whole groups of the run's `train` split that no mending run
 * sees (the run that made the champion may have); gate tasks are the run's own; its sealed tasks are not touched. The output names held-out mutations: not for people who write rules.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { contentHash, shortHash } from '../src/base/content-hash.ts';
import { AbortedError, CoHarnessError } from '../src/base/errors.ts';
import type { Journal } from '../src/base/journal.ts';
import { percent, signedPoints } from '../src/base/share-text.ts';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { gateSubject } from '../src/cli/gate-subject.ts';
import { openRunEngines } from '../src/cli/open-run-engines.ts';
import { runProgress } from '../src/cli/run-progress.ts';
import { readerOfProposer, runConfigSchema } from '../src/evolution/run-config.ts';
import type { Harness } from '../src/harness/harness.ts';
import { FAULT_CATALOGUES } from '../src/lab/faults/fault-catalogues.ts';
import { mend } from '../src/lab/faults/mend.ts';
import { allMutations } from '../src/lab/faults/mutation/all-mutations.ts';
import type { Mutation } from '../src/lab/faults/mutation/mutation.ts';
import { ENOUGH_RESTORED, LEAST_LOSS } from '../src/lab/faults/repair-loop.ts';
import { LAB_SCENARIOS } from '../src/lab/faults/scenarios/lab-scenarios.ts';
import { countNumber } from '../src/lab/option-numbers.ts';
import { runBatch } from '../src/rollout/run-batch.ts';
import { groupBootstrap, groupMeans } from '../src/statistics/group-bootstrap.ts';
import type { Task } from '../src/task/task.ts';
import { isSuccess } from '../src/trajectory/is-success.ts';

const { values: options } = parseArgs({
  options: {
    run: { type: 'string' },
    pair: { type: 'string', default: 'champion' },
    mutations: { type: 'string', default: '6' },
    tasks: { type: 'string', default: '160' },
    time: { type: 'string', default: '6m' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
  },
});
/** Tasks on which a mutation must already show a loss before it meets the others. */
const FIRST_LOOK = 40;
/** Sealed tasks of a mending run, which a run cannot do without. */
const SEALED = 8;
/** Tasks that a mending run mines and screens on. */
const FEWEST_TRAINED = 100;

interface Repair {
  label: Mutation['label'];
  kind: string;
  path: string;
  intact: number;
  broken: number;
  repaired: number;
  /** (repaired − broken) / (intact − broken). */
  restored: number;
  /** Repaired minus intact on the same tasks. */
  gap: { mean: number; low: number; high: number } | undefined;
  accepted: string[];
}

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const { signal } = controller;
const seed = countNumber(options.seed);
const subject = await gateSubject(options.run, { pair: options.pair, set: options.set });
refuseOwnAgents();
const { kept, sealed, train } = tasksApart();
const folder = options.out ?? join(subject.folder, 'repairs');
const engines = await openRunEngines(subject.folder, subject.header, signal);
const model = await engines.models.open(subject.version.pair.model);
const measured = openSqliteJournal(join(folder, 'measured.sqlite'));
const repairs: Repair[] = [];
let costless = 0;
let wasStopped = false;
try {
  await repairAll();
} catch (error) {
  if (!(error instanceof AbortedError)) throw error;
  wasStopped = true;
} finally {
  await measured.close();
  await engines.close();
}
report();
// Engines may hold threads that know nothing of the end.
process.exit(wasStopped ? 130 : 0);

async function repairAll(): Promise<void> {
  const before = await scores(subject.harness, kept);
  say(`intact: ${percent(mean(before))} of ${kept.length} tasks`);
  for (const mutation of inTurns(mutations())) {
    if (repairs.length === countNumber(options.mutations)) return;
    const broken = await lossOf(mutation.harness, before);
    if (broken === null) {
      costless++;
      continue;
    }
    say(`${mutation.kind} at ${mutation.path}: ${percent(mean(before))} → ${percent(mean(broken))}`);
    const { harness, accepted } = await mendingRun(mutation);
    const after = await scores(harness, kept);
    const { kind, path, label } = mutation;
    const [intact, lost, repaired] = [mean(before), mean(broken), mean(after)];
    const differences = kept.map(({ group }, index) => ({ group, value: (after[index] ?? 0) - (before[index] ?? 0) }));
    const gap = groupBootstrap([...groupMeans(differences).values()], { seed });
    const restored = (repaired - lost) / (intact - lost);
    repairs.push({ label, kind, path, intact, broken: lost, repaired, restored, gap, accepted });
    say(lineOf(repairs.at(-1) as Repair));
  }
}

/** Scores under a broken φ; null where it costs too little. */
async function lossOf(broken: Harness, before: readonly number[]): Promise<number[] | null> {
  const firstLook = await scores(broken, kept.slice(0, FIRST_LOOK));
  if (mean(before.slice(0, FIRST_LOOK)) - mean(firstLook) < LEAST_LOSS) return null;
  const all = await scores(broken, kept);
  return mean(before) - mean(all) < LEAST_LOSS ? null : all;
}

/** Nothing here opens a runner, a reader or a proposer of somebody's own. */
function refuseOwnAgents(): void {
  const { config, header } = subject;
  const isOwn = header.runner !== undefined || config.critic.by !== 'evidence' || readerOfProposer(config) !== null;
  if (isOwn)
    throw new CoHarnessError('invalid-config', 'Repairs are measured with the evidence critic and our own loop alone.');
}

/** Whole groups for measuring and as sealed tasks, from the end of `train`; the rest for the mending runs. */
function tasksApart(): { kept: Task[]; sealed: Task[]; train: Task[] } {
  const groups = [...Map.groupBy(subject.train, ({ group }) => group).values()];
  const take = (count: number): Task[] => {
    const taken: Task[] = [];
    while (taken.length < count && groups.length > 0) taken.push(...(groups.pop() ?? []));
    return taken;
  };
  const apart = { sealed: take(SEALED), kept: take(countNumber(options.tasks)), train: groups.flat() };
  if (apart.train.length >= FEWEST_TRAINED) return apart;
  throw new CoHarnessError(
    'too-few-tasks',
    `${subject.train.length} train tasks leave ${apart.train.length} for the mending runs, which need ${FEWEST_TRAINED}. Give fewer with --tasks.`,
  );
}

/** Each kind once, on the champion. */
function mutations(): Mutation[] {
  const [scripted] = LAB_SCENARIOS.heldOut;
  if (scripted === undefined) return [];
  const { harness, verifier, config } = subject;
  const task = (index: number) => train[index % train.length] as Task;
  const scenario = { ...scripted, name: config.name, harness, verifier, task };
  return allMutations(FAULT_CATALOGUES.heldOut, scenario, { foreign: scripted.harness, perKind: 1, seed });
}

/** Labels take turns, so that the first few are of many kinds. */
function inTurns(all: readonly Mutation[]): Mutation[] {
  const byLabel = [...Map.groupBy(all, ({ label }) => label).values()];
  const longest = Math.max(0, ...byLabel.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => byLabel.flatMap((own) => own[turn] ?? [])).flat();
}

/** 0 or 1 for each task, greedy. Throws CoHarnessError `infrastructure` where one got no score. */
async function scores(harness: Harness, tasks: readonly Task[]): Promise<number[]> {
  const { verifier } = subject;
  const { toolHosts } = engines;
  const fixed = { harness, model, verifier, toolHosts, clock: systemClock, signal, sampling: null, repeat: 0, seed: 0 };
  const jobs = tasks.map((task) => ({ ...fixed, task, split: 'train' as const }));
  return (await runBatch(jobs, { journal: measured, signal })).map((trajectory) => {
    if (trajectory.outcome.kind === 'scored') return isSuccess(trajectory) ? 1 : 0;
    throw new CoHarnessError(
      'infrastructure',
      `A rollout got no score: ${trajectory.outcome.why}. Give the same command again.`,
    );
  });
}

async function mendingRun({ harness, kind }: Mutation) {
  const { config: whole, version, verifier, tasks: gate } = subject;
  const config = runConfigSchema.parse({
    ...whole,
    only: 'harness',
    rounds: 1,
    seeds: 1,
    iterations: 5,
    budget: { time: options.time },
    sizes: { testTasks: SEALED },
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
  const mended = repairs.filter((one) => one.restored >= ENOUGH_RESTORED && one.accepted.length > 0).length;
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
    `${kind} at ${path}: ${percent(intact)} → ${percent(broken)} → ${percent(repaired)}, ${percent(restored)} of the loss${interval}; ` +
    (accepted.join('; ') || 'nothing accepted')
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
