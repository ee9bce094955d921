/**
 * Whether the loop mends what was broken, with a real model: a run's champion is broken by one held-out mutation at a time; those that cost at least 20 points on fresh tasks go to
 * `run --only harness`, and what came of it is measured on the same fresh tasks (greedy, paired).
 *
 *     npx node bench/repairs.ts --run RUN [--pair champion] [--mutations 6] [--tasks 160] [--time 6m] [--seed 1] [--out FOLDER] [--set key=value …] [--json]
 *
 * --time: of each mending run. Stop it at any time (Ctrl-C) and give the same command again: it continues. Fresh tasks come from the end of the run's `train` split and
 * stay out of the mending runs; gate tasks are the run's own; its sealed tasks are not touched.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { contentHash, shortHash } from '../src/base/content-hash.ts';
import { AbortedError } from '../src/base/errors.ts';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { gateSubject } from '../src/cli/gate-subject.ts';
import { openRunEngines } from '../src/cli/open-run-engines.ts';
import { runProgress } from '../src/cli/run-progress.ts';
import { runConfigSchema } from '../src/evolution/run-config.ts';
import type { PreparedRun } from '../src/evolution/start-run.ts';
import type { Harness } from '../src/harness/harness.ts';
import { FAULT_CATALOGUES } from '../src/lab/faults/fault-catalogues.ts';
import { mend } from '../src/lab/faults/mend.ts';
import { allMutations } from '../src/lab/faults/mutation/all-mutations.ts';
import type { Mutation } from '../src/lab/faults/mutation/mutation.ts';
import { ENOUGH_RESTORED, LEAST_LOSS } from '../src/lab/faults/repair-loop.ts';
import { LAB_SCENARIOS } from '../src/lab/faults/scenarios/lab-scenarios.ts';
import { countNumber } from '../src/lab/option-numbers.ts';
import { runBatch } from '../src/rollout/run-batch.ts';
import { groupBootstrap } from '../src/statistics/group-bootstrap.ts';
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

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
const { signal } = controller;
const seed = countNumber(options.seed);
const subject = await gateSubject(options.run, { pair: options.pair, set: options.set });
const { prepared, harness: intact, verifier, version } = subject;
const folder = options.out ?? join(subject.folder, 'repairs');
const engines = await openRunEngines(subject.folder, subject.header, signal);
const model = await engines.models.open(version.pair.model);
const measured = openSqliteJournal(join(folder, 'measured.sqlite'));
const held = countNumber(options.tasks) + SEALED;
const train = prepared.splits.train.slice(0, -held);
const fresh = prepared.splits.train.slice(-held, -SEALED);

interface Repair {
  kind: string;
  path: string;
  label: Mutation['label'];
  intact: number;
  broken: number;
  repaired: number;
  /** (repaired − broken) / (intact − broken). */
  restored: number;
  /** Repaired minus intact on the same tasks, bootstrap over tasks. */
  gap: { mean: number; low: number; high: number } | undefined;
  accepted: string[];
}

const say = (text: string) => void process.stderr.write(`${text}\n`);
const repairs: Repair[] = [];
const costless: string[] = [];
try {
  const before = await scores(intact, fresh);
  say(`intact: ${percent(mean(before))} of ${fresh.length} fresh tasks`);
  for (const mutation of inTurns(mutations())) {
    if (repairs.length === countNumber(options.mutations)) break;
    const name = `${mutation.kind} at ${mutation.path}`;
    const firstLook = await scores(mutation.harness, fresh.slice(0, FIRST_LOOK));
    const isCostly = mean(before.slice(0, FIRST_LOOK)) - mean(firstLook) >= LEAST_LOSS;
    const broken = isCostly ? await scores(mutation.harness, fresh) : firstLook;
    if (!isCostly || mean(before) - mean(broken) < LEAST_LOSS) {
      costless.push(name);
      say(`${name}: costs too little`);
      continue;
    }
    say(`${name}: ${percent(mean(before))} → ${percent(mean(broken))}`);
    const { harness, accepted } = await mendingRun(mutation);
    const after = await scores(harness, fresh);
    const differences = after.map((score, index) => score - (before[index] as number));
    const repair: Repair = {
      kind: mutation.kind,
      path: mutation.path,
      label: mutation.label,
      intact: mean(before),
      broken: mean(broken),
      repaired: mean(after),
      restored: (mean(after) - mean(broken)) / (mean(before) - mean(broken)),
      gap: groupBootstrap(differences, { seed }),
      accepted,
    };
    repairs.push(repair);
    say(line(repair));
  }
} catch (error) {
  if (!(error instanceof AbortedError)) throw error;
} finally {
  await measured.close();
  await engines.close();
}
const restored = repairs.filter((one) => one.restored >= ENOUGH_RESTORED && one.accepted.length > 0).length;
process.stdout.write(
  options.json
    ? `${JSON.stringify({ schema: 'co-harness/bench-repairs@1', run: subject.name, pair: version.version, tasks: fresh.length, restored, repairs, costless }, null, 2)}\n`
    : `${[...repairs.map(line), '', `${restored} of ${repairs.length} mutations: at least 90% of the loss restored. ${costless.length} cost less than 20 points.`].join('\n')}\n`,
);
// Engines may hold threads that know nothing of the end.
process.exit(0);

/** Each kind once, on the champion. */
function mutations(): Mutation[] {
  const [scripted] = LAB_SCENARIOS.heldOut;
  if (scripted === undefined) return [];
  const scenario = {
    ...scripted,
    name: prepared.config.name,
    harness: intact,
    verifier,
    task: (index: number) => train[index % train.length] as Task,
  };
  return allMutations(FAULT_CATALOGUES.heldOut, scenario, { foreign: scripted.harness, perKind: 1, seed });
}

/** Labels take turns, so that the first few are of many kinds. */
function inTurns(all: readonly Mutation[]): Mutation[] {
  const byLabel = [...Map.groupBy(all, ({ label }) => label).values()];
  const longest = Math.max(0, ...byLabel.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => byLabel.flatMap((own) => own[turn] ?? [])).flat();
}

/** 0 or 1 for each task, greedy. */
async function scores(harness: Harness, tasks: readonly Task[]): Promise<number[]> {
  const jobs = tasks.map((task) => ({
    harness,
    model,
    task,
    split: 'train' as const,
    repeat: 0,
    seed: 0,
    verifier,
    sampling: null,
    clock: systemClock,
    signal,
    toolHosts: engines.toolHosts,
  }));
  return (await runBatch(jobs, { journal: measured, signal })).map((trajectory) => (isSuccess(trajectory) ? 1 : 0));
}

async function mendingRun({ harness, kind, path }: Mutation) {
  const own = join(folder, `${kind.replace(/\W+/g, '-')}-${shortHash(harness.hash)}`);
  const journal = openSqliteJournal(join(own, 'run.sqlite'));
  const config = runConfigSchema.parse({
    ...prepared.config,
    only: 'harness',
    rounds: 1,
    seeds: 1,
    iterations: 5,
    budget: { time: options.time },
    sizes: { testTasks: SEALED },
  });
  const splits = { train, gate: prepared.splits.gate, test: prepared.splits.train.slice(-SEALED) };
  const mending: PreparedRun = {
    config,
    harness,
    splits,
    verifier,
    identity: contentHash({ repair: kind, path, harness: harness.hash, pair: version.pair, time: options.time, seed }),
  };
  const models = { ...engines.models, base: version.pair.model };
  try {
    return await mend({
      prepared: mending,
      folder: own,
      engines: { ...engines, models },
      observers: [runProgress(process.stderr)],
      signal,
      journal,
    });
  } finally {
    await journal.close();
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

function line({ kind, path, intact: whole, broken, repaired, restored, gap, accepted }: Repair): string {
  const interval = gap === undefined ? '' : ` (${percent(gap.low)} to ${percent(gap.high)})`;
  return (
    `${kind} at ${path}: ${percent(whole)} → ${percent(broken)} → ${percent(repaired)}, ${percent(restored)} restored; ` +
    `repaired − intact ${gap === undefined ? '–' : percent(gap.mean)}${interval}; ${accepted.join('; ') || 'nothing accepted'}`
  );
}
