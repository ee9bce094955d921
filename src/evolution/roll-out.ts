import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { inTurns } from '../base/in-turns.ts';
import { seedFrom } from '../base/random.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelIdentity, Sampling } from '../model/model-backend.ts';
import { totalTokens } from '../model/tokens-of.ts';
import { rolloutIdentity, rolloutKey } from '../rollout/rollout-identity.ts';
import { type BatchProgress, runBatch } from '../rollout/run-batch.ts';
import { type RolloutJob, runRollout } from '../rollout/run-rollout.ts';
import type { Split, Task } from '../task/task.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { refuseOutage } from './outage.ts';
import { ratesWith } from './pair-rates.ts';
import type { RunContext } from './run-context.ts';

export interface RolloutOrder {
  harness: Harness;
  model: ModelIdentity;
  tasks: readonly Task[];
  split: Split;
  repeats: number;
  /** null = φ's own. */
  sampling: Sampling | null;
  /** Names the stream of seeds: arms that are compared share it, data that must be fresh has its own. */
  seedStream: string;
  /** Greedy rollouts are bought anew too: their time is what is asked. */
  isTimed?: boolean;
}

/** What the batch is for, shown as progress, e.g. "gate: parent". */
export interface RolloutStep {
  round: number;
  step: string;
  /** Set where the ledger cannot tell the purpose from the rollouts themselves: audits use gate tasks. */
  purpose?: 'audit';
}

/** A journal row (kind `bought-for`): rollouts, by their keys, that a step was about to buy for a purpose of its own. */
export interface BoughtFor {
  purpose: NonNullable<RolloutStep['purpose']>;
  rollouts: ContentHash[];
}

/**
 * Rolls every order out on each of its tasks × repeats, the orders of one θ and one number in flight in one batch; returns one list per order in (task,
 * repeat) order. Engines of different θ take turns: side by side they would fight for the same cores. Finished rollouts come from the journal.
 * Measures the throughput on the way. Throws CoHarnessError `infrastructure` when more than `maxUnscoredShare` of all got no score.
 */
export async function rollOut(
  context: RunContext,
  step: RolloutStep,
  orders: readonly RolloutOrder[],
): Promise<Trajectory[][]> {
  const total = orders.reduce((sum, order) => sum + order.tasks.length * order.repeats, 0);
  const rolled = await rollOrders(context, orders, batchProgress(context, step, total), step.purpose);
  refuseOutage(context, step, rolled.flat());
  return rolled;
}

/** As {@link rollOut}, however many got no score: `refuseOutage` must follow. */
export async function rollOrders(
  context: RunContext,
  orders: readonly RolloutOrder[],
  progress: ReturnType<typeof batchProgress>,
  purpose?: RolloutStep['purpose'],
): Promise<Trajectory[][]> {
  const results = new Map<RolloutOrder, Trajectory[]>();
  const batches = Map.groupBy(orders, ({ model, harness }) =>
    contentHash({ model, inFlight: harness.settings.batching.inFlight }),
  );
  for (const together of batches.values()) {
    const byOrder: RolloutJob[][] = [];
    for (const order of together) byOrder.push(await jobsOf(context, order));
    const turns = taskByTask(byOrder);
    const jobs = turns.map(({ job }) => job);
    if (purpose !== undefined) await noteBought(context, purpose, byOrder.flat());
    const before = progress.bought;
    const startedAt = context.clock.now();
    const trajectories = await runBatch(jobs, {
      journal: context.journal,
      signal: context.signal,
      run: (job) => context.tokens.pay(`rollouts of ${job.harness.hash}`, mostTokens(job), () => runRollout(job)),
      onProgress: (rollout) => {
        if (rollout.isReused) context.reused.add(rollout.trajectory);
        progress.advance(rollout);
      },
    });
    for (const order of together) results.set(order, []);
    turns.forEach(({ arm, at }, index) => {
      const own = results.get(together[arm] as RolloutOrder) as Trajectory[];
      own[at] = trajectories[index] as Trajectory;
    });
    measure(context, together, results, progress.bought - before, (context.clock.now() - startedAt) / 1000);
  }
  return orders.map((order) => results.get(order) ?? []);
}

/**
 * The jobs of all arms task by task: rollouts that are compared meet the same load, while an arm queued behind the other would end as the engine falls idle. Who is first
 * changes from task to task. `at`: place of the job in its arm.
 */
function taskByTask(arms: readonly (readonly RolloutJob[])[]): { job: RolloutJob; arm: number; at: number }[] {
  const turns = inTurns(arms.map((jobs, arm) => jobs.map((job, at) => ({ job, arm, at }))));
  const byTask = [...Map.groupBy(turns, ({ at }) => at).values()];
  return byTask.flatMap((turn, at) => (at % 2 === 0 ? turn : turn.toReversed()));
}

/** Written before the first of them is bought: what a kill interrupts keeps its purpose, and what somebody else has bought keeps his. */
async function noteBought({ journal }: RunContext, purpose: BoughtFor['purpose'], jobs: readonly RolloutJob[]) {
  const keys = [...new Set(jobs.map((job) => rolloutKey(rolloutIdentity(job))))];
  const key = contentHash({ step: 'bought-for', purpose, rollouts: keys });
  if ((await journal.get(key)) !== undefined) return;
  const missing: ContentHash[] = [];
  for (const rollout of keys) if ((await journal.get(rollout)) === undefined) missing.push(rollout);
  const value: BoughtFor = { purpose, rollouts: missing };
  if (missing.length > 0) await journal.put({ key, kind: 'bought-for', value });
}

/** Characters of a text that make a token, few: an estimate should rather be too large. */
const CHARACTERS_OF_A_TOKEN = 3;

/** What a rollout may take, before any of its φ was seen: in each turn all of φ, the problem and all that was generated before. */
function mostTokens({ harness: { settings, files }, task }: RolloutJob): number {
  const { turns, tokensPerTurn } = settings.limits;
  const characters = [...files.values(), task.problem].reduce((sum, text) => sum + text.length, 0);
  return settings.votes * turns * Math.ceil(characters / CHARACTERS_OF_A_TOKEN + turns * tokensPerTurn);
}

/** Bought rollouts before the time left is told: a batch ends in waves, and the first one says little about the rate. */
const FEWEST_TIMED = 24;

/** Counts finished rollouts over the batches of a step and tells how long the rest will take. */
export function batchProgress(context: RunContext, { round, step }: RolloutStep, total: number) {
  const startedAt = context.clock.now();
  const progress = {
    done: 0,
    bought: 0,
    /** Rollouts seen in flight at once. */
    mostInFlight: 0,
    advance: ({ isReused, inFlight }: Pick<BatchProgress, 'isReused' | 'inFlight'>) => {
      progress.done++;
      progress.mostInFlight = Math.max(progress.mostInFlight, inFlight);
      if (!isReused) progress.bought++;
      const seconds = (context.clock.now() - startedAt) / 1000;
      const left =
        progress.bought >= FEWEST_TIMED ? { secondsLeft: (seconds / progress.bought) * (total - progress.done) } : {};
      context.emit({ type: 'progress', seed: context.seed, round, step, done: progress.done, total, ...left });
    },
  };
  return progress;
}

async function jobsOf(context: RunContext, order: RolloutOrder): Promise<RolloutJob[]> {
  const model = await context.models.open(order.model);
  return order.tasks.flatMap((task) =>
    Array.from({ length: order.repeats }, (_, repeat) => ({
      harness: order.harness,
      model,
      task,
      split: order.split,
      repeat,
      seed: rolloutSeed(context, order, task),
      verifier: context.verifier,
      sampling: order.sampling,
      clock: context.clock,
      signal: context.signal,
      ...context.surroundings,
    })),
  );
}

/** Keeps train rollouts for proposers, each once. */
export function remember(context: RunContext, trajectories: readonly Trajectory[]): void {
  for (const trajectory of trajectories) context.trainHistory.set(contentHash(trajectory.identity), trajectory);
}

/** Greedy rollouts do not depend on a seed: they share one, so that the same pair on the same task is never bought twice. */
function rolloutSeed(context: RunContext, order: RolloutOrder, task: Task): number {
  const isShared = isGreedy(order.harness, order.sampling) && order.isTimed !== true;
  return isShared ? 0 : seedFrom(context.seed, order.seedStream, task.hash);
}

/** Whether luck plays no part in a rollout, so that a second one says nothing new. */
export function isGreedy({ settings }: Harness, sampling: Sampling | null = null): boolean {
  return (sampling ?? settings.sampling).temperature === 0 && settings.votes === 1;
}

/** Rollouts below which a batch says too little about the rate. */
const FEWEST_MEASURED = 8;

/** Rate of the whole batch, and where all of it was bought, of each pair in it. */
function measure(
  context: RunContext,
  orders: readonly RolloutOrder[],
  results: ReadonlyMap<RolloutOrder, readonly Trajectory[]>,
  bought: number,
  seconds: number,
): void {
  if (bought < FEWEST_MEASURED || seconds === 0) return;
  const all = orders.flatMap((order) => results.get(order) ?? []);
  const tokens = totalTokens(all.map(({ usage }) => usage));
  context.throughput.secondsPerRollout = seconds / bought;
  context.throughput.tokensPerRollout = Math.max(1, tokens / all.length);
  if (bought < all.length) return;
  const batch = orders.map((order) => ({ ...order, rollouts: results.get(order) ?? [] }));
  context.throughput.secondsByPair = ratesWith(context.throughput.secondsByPair, batch, seconds);
}

/** How many rollouts have a score, and how many of these the full one. */
export function countCorrect(trajectories: readonly Trajectory[]): { scored: number; correct: number } {
  return {
    scored: trajectories.filter((trajectory) => scoreOf(trajectory) !== null).length,
    correct: trajectories.filter(isSuccess).length,
  };
}
