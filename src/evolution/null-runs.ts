import type { Clock } from '../base/clock.ts';
import type { Journal } from '../base/journal.ts';
import { seedFrom } from '../base/random.ts';
import { type NullBand, nullBand } from '../gate/null-band.ts';
import { PairLedger } from '../gate/paired-outcome.ts';
import { assumedVariance } from '../gate/plan-gate.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelBackend, Sampling } from '../model/model-backend.ts';
import type { RolloutJob, Runner } from '../rollout/rollout-job.ts';
import { type BatchProgress, runBatch } from '../rollout/run-batch.ts';
import type { ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { bettingInterval } from '../statistics/betting-confidence-sequence.ts';
import { mean, variance } from '../statistics/summary.ts';
import type { Task } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { isGreedy } from './roll-out.ts';

export interface NullOrder extends NullSetting {
  repeats: number;
  /** Keeps the rollouts, so that a stopped command continues. */
  journal: Journal;
  onProgress: (progress: BatchProgress) => void;
}

/** What runs of a pair against itself are made of, whatever they are for. */
export interface NullSetting {
  harness: Harness;
  model: ModelBackend;
  /** Gate tasks by group. */
  groups: readonly (readonly Task[])[];
  /** null = φ's own. */
  sampling: Sampling | null;
  seed: number;
  verifier: Verifier;
  /** Where tools of φ run; default: see `RolloutJob`. */
  toolHosts?: ToolHosts;
  /** Default: the agent loop. */
  runner?: Runner;
  clock: Clock;
  signal: AbortSignal;
}

/** What a pair shows against itself: everything here is luck. Shares and differences in [−1, 1]. */
export interface NullRuns {
  /** Whether luck plays no part: then two runs are one, and the band is what the engine's batches leave. */
  greedy: boolean;
  groups: number;
  pairs: number;
  unscored: number;
  /** Share of pairs whose scores differ. */
  discordance: number;
  /** Variance of a group's mean difference, the size that plans rest on. */
  groupVariance: number;
  /** Mean difference of the two runs, with a 95% interval; 0 lies in it 19 times in 20. */
  mean: number;
  low: number;
  high: number;
  /** What the best of K diffs that do nothing would show. */
  bands: NullBand[];
}

const CANDIDATES = [1, 3, 10];

/** A/A: the very same pair twice on the same tasks, under different seeds. */
export async function runNull(order: NullOrder): Promise<NullRuns> {
  const repeats = Array.from({ length: order.repeats }, (_, repeat) => repeat);
  const jobs = [...nullJobs(order, 'null A', repeats), ...nullJobs(order, 'null B', repeats)];
  const { journal, signal, onProgress } = order;
  const rollouts = await runBatch(jobs, { journal, signal, onProgress });
  const half = rollouts.length / 2;
  const pairs = rollouts.slice(0, half).map((one, index) => {
    const other = rollouts[half + index] as Trajectory;
    return {
      task: one.identity.task,
      group: one.group,
      repeat: one.identity.repeat,
      parent: scoreOf(one),
      child: scoreOf(other),
      parentTokens: 0,
      childTokens: 0,
      targeted: false,
    };
  });
  const ledger = new PairLedger();
  const differences = ledger.add(pairs).map(({ whole }) => whole);
  const groupVariance = variance(differences) ?? 0;
  const scored = pairs.filter(({ parent, child }) => parent !== null && child !== null);
  return {
    greedy: isGreedy(order.harness, order.sampling),
    groups: differences.length,
    pairs: pairs.length,
    unscored: pairs.length - scored.length,
    discordance: mean(scored.map(({ parent, child }) => (parent === child ? 0 : 1))) ?? 0,
    groupVariance,
    mean: mean(differences) ?? 0,
    // What the bets are sized by must not come from the outcomes that they are made on, or the level does not hold.
    ...bettingInterval(differences, 0.95, {
      observations: order.groups.length,
      variance: assumedVariance({ repeats: order.repeats, tasksPerGroup: tasksPerGroup(order) }),
    }),
    bands: CANDIDATES.map((candidates) => nullBand(Math.max(1, differences.length), groupVariance, candidates)),
  };
}

/** Jobs of one arm in (task, repeat) order; `stream` tells the seeds of arms apart. */
export function nullJobs(setting: NullSetting, stream: string, repeats: readonly number[]): RolloutJob[] {
  const { harness, model, verifier, sampling, clock, signal, seed, groups, toolHosts, runner } = setting;
  return groups.flat().flatMap((task) =>
    repeats.map((repeat) => ({
      harness,
      model,
      task,
      split: 'gate' as const,
      repeat,
      seed: seedFrom(seed, stream, task.hash),
      verifier,
      sampling,
      clock,
      signal,
      ...(toolHosts === undefined ? {} : { toolHosts }),
      ...(runner === undefined ? {} : { runner }),
    })),
  );
}

function tasksPerGroup({ groups }: NullSetting): number {
  return Math.max(1, groups.flat().length / Math.max(1, groups.length));
}
