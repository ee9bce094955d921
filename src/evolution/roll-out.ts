import { contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { seedFrom } from '../base/random.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelIdentity, Sampling } from '../model/model-backend.ts';
import { runBatch } from '../rollout/run-batch.ts';
import type { RolloutJob } from '../rollout/run-rollout.ts';
import type { Split, Task } from '../task/task.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
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
}

/** What the batch is for, shown as progress, e.g. "gate: parent". */
export interface RolloutStep {
  round: number;
  step: string;
}

/**
 * Rolls every order out on each of its tasks × repeats, all of them in one batch; returns one list per order in (task, repeat) order. Finished
 * rollouts come from the journal. Measures the throughput on the way. Throws CoHarnessError `infrastructure` when more than
 * `maxUnscoredShare` of the batch got no score.
 */
export async function rollOut(
  context: RunContext,
  step: RolloutStep,
  orders: readonly RolloutOrder[],
): Promise<Trajectory[][]> {
  const jobs: RolloutJob[] = [];
  for (const order of orders) jobs.push(...(await jobsOf(context, order)));
  const startedAt = context.clock.now();
  let bought = 0;
  const trajectories = await runBatch(jobs, {
    journal: context.journal,
    concurrency: Math.max(1, ...jobs.map((job) => job.model.concurrency)),
    signal: context.signal,
    onProgress: ({ finished, total, isReused }) => {
      if (!isReused) bought++;
      const seconds = (context.clock.now() - startedAt) / 1000;
      const secondsLeft = bought > 0 ? { secondsLeft: (seconds / bought) * (total - finished) } : {};
      context.emit({
        type: 'progress',
        seed: context.seed,
        round: step.round,
        step: step.step,
        done: finished,
        total,
        ...secondsLeft,
      });
    },
  });
  let taken = 0;
  const results = orders.map((order) => {
    const count = order.tasks.length * order.repeats;
    taken += count;
    return trajectories.slice(taken - count, taken);
  });
  measure(context, orders, results, bought, (context.clock.now() - startedAt) / 1000);
  refuseOutage(context, step, trajectories);
  return results;
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
    })),
  );
}

/** Keeps train rollouts for proposers, each once. */
export function remember(context: RunContext, trajectories: readonly Trajectory[]): void {
  for (const trajectory of trajectories) context.trainHistory.set(contentHash(trajectory.identity), trajectory);
}

/** Greedy rollouts do not depend on a seed: they share one, so that the same pair on the same task is never bought twice. */
function rolloutSeed(context: RunContext, order: RolloutOrder, task: Task): number {
  const temperature = order.sampling?.temperature ?? order.harness.settings.sampling.temperature;
  const isGreedy = temperature === 0 && order.harness.settings.votes === 1;
  return isGreedy ? 0 : seedFrom(context.seed, order.seedStream, task.hash);
}

/** Rollouts below which a batch says too little about the rate. */
const FEWEST_MEASURED = 8;

/** Rate of the whole batch, and of each pair by its share of the generated tokens, which is what takes the time. */
function measure(
  context: RunContext,
  orders: readonly RolloutOrder[],
  results: readonly (readonly Trajectory[])[],
  bought: number,
  seconds: number,
): void {
  if (bought < FEWEST_MEASURED || seconds === 0) return;
  const all = results.flat();
  const tokens = all.reduce((sum, { usage }) => sum + usage.promptTokens + usage.completionTokens, 0);
  context.throughput.secondsPerRollout = seconds / bought;
  context.throughput.tokensPerRollout = Math.max(1, tokens / all.length);
  if (bought < all.length) return;
  const generated = all.reduce((sum, { usage }) => sum + usage.completionTokens, 0);
  orders.forEach((order, index) => {
    const own = results[index] ?? [];
    const share = own.reduce((sum, { usage }) => sum + usage.completionTokens, 0) / Math.max(1, generated);
    context.pairSeconds.set(rateKey(order.harness, order.model), (seconds * share) / Math.max(1, own.length));
  });
}

function rateKey(harness: Harness, model: ModelIdentity): string {
  return `${harness.hash} ${model.adapter}`;
}

/** Seconds that one rollout of a pair takes in a batch: measured for this pair, else what the last batch took. */
export function secondsPerRollout(context: RunContext, harness: Harness, model: ModelIdentity): number {
  return context.pairSeconds.get(rateKey(harness, model)) ?? context.throughput.secondsPerRollout;
}

function refuseOutage(context: RunContext, { step }: RolloutStep, trajectories: readonly Trajectory[]): void {
  const unscored = trajectories.filter((trajectory) => trajectory.outcome.kind === 'unscored');
  const share = unscored.length / Math.max(1, trajectories.length);
  if (share <= context.config.maxUnscoredShare) return;
  const first = unscored[0]?.outcome;
  throw new CoHarnessError(
    'infrastructure',
    `${unscored.length} of ${trajectories.length} rollouts (${step}) got no score because of infrastructure, the limit is ` +
      `${Math.round(context.config.maxUnscoredShare * 100)}%. First cause: ${first?.why ?? 'unknown'}. ` +
      'Nothing was counted against the agent. Mend the cause and run the same command again: finished rollouts are kept.',
    { details: { unscored: unscored.length, total: trajectories.length } },
  );
}

/** Mean of the scored rollouts, and how many; `mean` undefined when nothing was scored. */
export function scoreOf(trajectories: readonly Trajectory[]): {
  mean: number | undefined;
  scored: number;
  correct: number;
} {
  const scores = trajectories.flatMap(({ outcome }) => (outcome.kind === 'scored' ? [outcome.score] : []));
  const total = scores.reduce((sum, score) => sum + score, 0);
  return {
    mean: scores.length === 0 ? undefined : total / scores.length,
    scored: scores.length,
    correct: scores.filter((score) => score === 1).length,
  };
}
