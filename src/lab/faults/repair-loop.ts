import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '../../base/clock.ts';
import { contentHash } from '../../base/content-hash.ts';
import { InvariantError } from '../../base/errors.ts';
import { memoryJournal } from '../../base/journal.ts';
import { runConfigSchema } from '../../evolution/run-config.ts';
import type { PreparedRun } from '../../evolution/start-run.ts';
import type { Harness } from '../../harness/harness.ts';
import type { Task } from '../../task/task.ts';
import { isSuccess } from '../../trajectory/is-success.ts';
import { rollOutTask } from './collect-failures.ts';
import { FAULT_CATALOGUES, type FaultSplit } from './fault-catalogues.ts';
import { labModel } from './lab-model.ts';
import { type Mended, mend } from './mend.ts';
import { allMutations } from './mutation/all-mutations.ts';
import { LEAST_LOSS, type Mutation } from './mutation/mutation.ts';
import type { LabScenario } from './scenarios/lab-scenario.ts';
import { foreignTo, LAB_SCENARIOS } from './scenarios/lab-scenarios.ts';

export const REPAIR_SCHEMA = 'co-harness/lab-repair@1';

export interface RepairOptions {
  seed: number;
  split: FaultSplit;
  perKind: number;
  /** Fresh tasks on which intact, broken and repaired harness are compared. */
  tasks: number;
  onProgress?: (text: string) => void;
}

export const QUICK_REPAIR: RepairOptions = { seed: 1, split: 'heldOut', perKind: 1, tasks: 40 };

/** What the loop made of one broken harness. Pass rates on fresh tasks. */
export interface Repair {
  kind: string;
  scenario: string;
  path: string;
  label: Mutation['label'];
  intact: number;
  broken: number;
  repaired: number;
  /** (repaired − broken) / (intact − broken). */
  restored: number;
  /** Titles of the accepted diffs, in order. */
  accepted: string[];
}

export interface RepairReport {
  schema: typeof REPAIR_SCHEMA;
  split: FaultSplit;
  /** Mutations that cost at least 20 points. */
  mutations: number;
  /** Of these, those of which the loop restored at least 90% of the loss within 5 iterations. */
  restored: number;
  share: number | null;
  repairs: Repair[];
}

/** Share of that loss that counts as mended. */
export const ENOUGH_RESTORED = 0.9;
const FIRST_FRESH = 500_000;
const FIRST_RUN_TASK = 600_000;
const SIZES = { train: 140, gate: 100, test: 8 };

/** Lets `run --only harness` loose on every broken harness of a split that lost enough. */
export async function runRepairs({ onProgress = () => {}, ...options }: RepairOptions): Promise<RepairReport> {
  const repairs: Repair[] = [];
  for (const scenario of LAB_SCENARIOS[options.split]) {
    const foreign = foreignTo(scenario).harness;
    const intact = await passRate(scenario, scenario.harness, options.tasks);
    for (const mutation of allMutations(FAULT_CATALOGUES[options.split], scenario, { ...options, foreign })) {
      const broken = await passRate(scenario, mutation.harness, options.tasks);
      if (intact - broken < LEAST_LOSS) continue;
      const { harness, accepted } = await repair(scenario, mutation.harness, options.seed);
      const repaired = await passRate(scenario, harness, options.tasks);
      const restored = (repaired - broken) / (intact - broken);
      const { kind, path, label } = mutation;
      repairs.push({ kind, scenario: scenario.name, path, label, intact, broken, repaired, restored, accepted });
      onProgress(
        `${scenario.name}: ${kind} at ${path}: ${Math.round(restored * 100)}% restored by ${accepted.join('; ') || 'nothing'}`,
      );
    }
  }
  const restored = repairs.filter((one) => one.restored >= ENOUGH_RESTORED && one.accepted.length > 0).length;
  const share = repairs.length === 0 ? null : restored / repairs.length;
  return { schema: REPAIR_SCHEMA, split: options.split, mutations: repairs.length, restored, share, repairs };
}

async function passRate(scenario: LabScenario, harness: Harness, count: number): Promise<number> {
  const model = labModel(scenario);
  let passed = 0;
  for (let index = 0; index < count; index++) {
    if (isSuccess(await rollOutTask(scenario, harness, model, scenario.task(FIRST_FRESH + index)))) passed++;
  }
  return passed / count;
}

/** The loop's last champion after at most 5 iterations, and what led to it. */
async function repair(scenario: LabScenario, harness: Harness, seed: number): Promise<Mended> {
  const folder = await mkdtemp(join(tmpdir(), 'co-harness-repair-'));
  try {
    const model = labModel(scenario);
    return await mend({
      prepared: preparedRun(scenario, harness, seed),
      folder,
      engines: {
        models: { base: model.identity, open: async () => model, close: async () => {} },
        trainer: {
          train: async () => {
            throw new InvariantError('the repair lab trains no weights');
          },
        },
      },
      observers: [],
      signal: new AbortController().signal,
      clock: manualClock(),
      journal: memoryJournal(),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function preparedRun(scenario: LabScenario, harness: Harness, seed: number): PreparedRun {
  const config = runConfigSchema.parse({
    name: `repair-${scenario.name}`,
    model: { source: 'file:scripted' },
    tasks: { path: 'none', ...SIZES },
    verifier: { kind: scenario.name === 'desk' ? 'function-calls' : 'numeric' },
    only: 'harness',
    rounds: 1,
    iterations: 5,
    sizes: { miningTasks: 40, candidates: 8, screeningTasks: 32, gateGroups: SIZES.gate, testTasks: SIZES.test },
  });
  const tasks = distinctTasks(scenario, seed, SIZES.train + SIZES.gate + SIZES.test);
  const splits = {
    train: tasks.slice(0, SIZES.train),
    gate: tasks.slice(SIZES.train, SIZES.train + SIZES.gate),
    test: tasks.slice(SIZES.train + SIZES.gate),
  };
  const identity = contentHash({ repair: scenario.name, harness: harness.hash, seed });
  return { config, harness, splits, verifier: scenario.verifier, identity };
}

/** Tasks of a seed's own stretch of the stream; the same text twice is one task. */
function distinctTasks(scenario: LabScenario, seed: number, count: number): Task[] {
  const tasks = new Map<string, Task>();
  for (let index = 0; tasks.size < count; index++) {
    const task = scenario.task(FIRST_RUN_TASK + seed * 10_000 + index);
    tasks.set(task.hash, task);
  }
  return [...tasks.values()];
}
