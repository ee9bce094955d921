import { type Clock, manualClock } from '../../src/base/clock.ts';
import { type ContentHash, contentHash } from '../../src/base/content-hash.ts';
import { type Journal, memoryJournal } from '../../src/base/journal.ts';
import { seedFrom } from '../../src/base/random.ts';
import { runConfigSchema } from '../../src/evolution/run-config.ts';
import type { RunEvent } from '../../src/evolution/run-event.ts';
import { executeRun } from '../../src/evolution/start-run.ts';
import type { Harness } from '../../src/harness/harness.ts';
import { harnessFromFiles } from '../../src/harness/parse-harness.ts';
import type { PatchEdit } from '../../src/harness/patch-edit.ts';
import type { ModelIdentity } from '../../src/model/model-backend.ts';
import { type ScriptedOptions, scriptedBackend } from '../../src/model/scripted-backend.ts';
import type { Patch } from '../../src/patch/patch.ts';
import { scopeOf } from '../../src/patch/patch-scope.ts';
import type { Version } from '../../src/registry/version.ts';
import { chooseVerifier } from '../../src/task/choose-verifier.ts';
import type { Task, TaskSplits } from '../../src/task/task.ts';
import type { Trajectory } from '../../src/trajectory/trajectory.ts';
import { sumTasks } from './scripted-world.ts';

/** What the scripted model is asked, and how lucky this task is: in [0, 1), the same for every φ, θ and seed. */
export interface Question {
  /** Everything before the task: system prompt and examples. */
  before: string;
  problem: string;
  sum: number;
  luck: number;
  adapted: boolean;
  /** Replies of the model in this rollout so far. */
  turn: number;
  /** As {@link Question.luck}, drawn anew with each seed where the model is sampled; `luck` where it is greedy. */
  chance: number;
}

/** A world of sums without tools, where a test says what the model does and what is proposed, and everything between is the real loop. */
export interface GateWorld {
  answer: (question: Question) => string | Promise<string>;
  /** Diffs proposed in each iteration; the last entry repeats. Default: what the loop proposes by itself. */
  proposals?: ((harness: Harness, splits: TaskSplits) => Patch[])[];
  files?: Record<string, string>;
  config?: Record<string, unknown>;
  sizes?: Record<string, unknown>;
  concurrency?: number;
  /** Default true. */
  nativeTools?: boolean;
  /** Train tasks with other luck are left out. */
  isTrainLuck?: (luck: number) => boolean;
  gateTasks?: number;
  /** Default: one that stands still. */
  clock?: Clock;
  /** Default: an empty one. */
  journal?: Journal;
  /** What every training gives; default: weights that depend on what was trained on. */
  adapter?: ContentHash;
}

const SUM = /what do (\d+) and (\d+) make/;

/** Multiples of the golden ratio: any run of tasks has its share of the lucky ones, so that small effects are there in small worlds too. */
function luckOf(task: Task): number {
  return (Number(task.id.replace('sum-', '')) * 0.6180339887498949) % 1;
}

export async function playGateWorld(folder: string, world: GateWorld) {
  const {
    answer,
    proposals,
    files = {},
    config = {},
    concurrency = 1,
    gateTasks = 120,
    isTrainLuck = () => true,
    clock = manualClock(),
    journal = memoryJournal(),
  } = world;
  const splits = splitsOf(gateTasks, isTrainLuck);
  const parsed = runConfigSchema.parse({
    name: 'gate-world',
    model: { source: 'file:scripted' },
    tasks: { path: 'none' },
    verifier: { kind: 'numeric' },
    only: 'harness',
    rounds: 1,
    iterations: 1,
    alignment: { minRows: 8 },
    ...config,
    sizes: {
      miningTasks: 24,
      candidates: 4,
      screeningTasks: 24,
      gateGroups: gateTasks,
      auditGroups: gateTasks,
      sampleTasks: 40,
      samplesPerTask: 1,
      testTasks: 10,
      ...world.sizes,
    },
  });
  const harness = harnessFromFiles(
    new Map(Object.entries({ 'harness.yaml': 'name: sums\n', 'prompts/system.md': 'Add numbers.\n', ...files })),
  );
  const events: RunEvent[] = [];
  let turn = 0;
  await executeRun({
    prepared: {
      config: parsed,
      harness,
      splits,
      verifier: chooseVerifier(parsed.verifier, '.'),
      identity: contentHash('gate world'),
    },
    folder,
    engines: enginesOf(answer, { concurrency, nativeTools: world.nativeTools ?? true }, splits, world.adapter),
    observers: [(event) => events.push(event)],
    signal: new AbortController().signal,
    clock,
    journal,
    ...(proposals === undefined
      ? {}
      : {
          proposer: ({ harness: now }: { harness: Harness }) =>
            proposals[Math.min(turn++, proposals.length - 1)]?.(now, splits) ?? [],
        }),
  });
  const versions = (await journal.entries('version')).map((entry) => entry.value as Version);
  const rollouts = (await journal.entries('rollout')).map((entry) => entry.value as Trajectory);
  const refusals = events.flatMap((event) => (event.type === 'patch-refused' ? [event.reason] : []));
  return { versions, rollouts, refusals, events, splits, harness, journal };
}

function splitsOf(gateTasks: number, isTrainLuck: (luck: number) => boolean): TaskSplits {
  const tasks: Task[] = sumTasks(gateTasks + 300);
  return {
    gate: tasks.slice(0, gateTasks),
    test: tasks.slice(gateTasks, gateTasks + 10),
    train: tasks
      .slice(gateTasks + 10)
      .filter((task) => isTrainLuck(luckOf(task)))
      .slice(0, 120),
  };
}

function enginesOf(
  answer: GateWorld['answer'],
  engine: Pick<ScriptedOptions, 'concurrency' | 'nativeTools'>,
  splits: TaskSplits,
  adapter: ContentHash | undefined,
) {
  const luck = new Map(Object.values(splits).flatMap((tasks) => tasks.map((task) => [task.problem, luckOf(task)])));
  const base: ModelIdentity = { base: contentHash('gate world model'), adapter: null };
  const open = async (identity: ModelIdentity) =>
    scriptedBackend({
      identity,
      ...engine,
      reply: ({ messages, sampling, seed }) => {
        const asked = messages.findLastIndex(({ content }) => SUM.test(content));
        const problem = messages[asked]?.content ?? '';
        const [, a = '0', b = '0'] = SUM.exec(problem) ?? [];
        const before = messages.slice(0, asked).map(({ content }) => content);
        const own = luck.get(problem) ?? 0;
        return answer({
          before: before.join('\n'),
          problem,
          sum: Number(a) + Number(b),
          luck: own,
          chance: sampling.temperature === 0 ? own : (seedFrom('chance', problem, seed) % 10_000) / 10_000,
          adapted: identity.adapter !== null,
          turn: messages.slice(asked).filter(({ role }) => role === 'assistant').length,
        });
      },
    });
  return {
    models: { base, open, close: async () => {} },
    trainer: {
      train: async ({ dataset }: { dataset: string }) => ({
        adapter: adapter ?? contentHash({ trainedOn: dataset }),
        rows: 20,
        firstLoss: 1,
        lastLoss: 0.5,
        seconds: 1,
      }),
    },
  };
}

/** Right for the share `rate` of the tasks, always the same ones first: a diff's effect is exactly the difference of two rates. */
export function rightFor(rate: number, { sum, luck }: Question): string {
  return luck < rate ? `${sum}` : 'That is hard to say.';
}

export function patchFor(harness: Harness, edits: readonly PatchEdit[], changes: Partial<Patch> = {}): Patch {
  return {
    id: contentHash({ base: harness.hash, edits }),
    base: harness.hash,
    title: 'a scripted diff',
    proposer: 'script',
    target: null,
    edits,
    scope: scopeOf(edits),
    probe: { kind: 'prompt-changed' },
    relaxes: [],
    usesTasks: [],
    predictedFix: null,
    ...changes,
  };
}

/** A diff that appends a line to the system prompt. */
export function saying(line: string, changes: Partial<Patch> = {}) {
  return (harness: Harness): Patch => {
    const old = harness.files.get('prompts/system.md') ?? '';
    return patchFor(harness, [{ path: 'prompts/system.md', old, value: `${old}${line}\n` }], changes);
  };
}
