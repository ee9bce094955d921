import type { Clock } from '../base/clock.ts';
import type { ContentHash } from '../base/content-hash.ts';
import type { Journal } from '../base/journal.ts';
import type { CriticReader } from '../critic/reader/critic-reader.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelBackend, ModelIdentity } from '../model/model-backend.ts';
import type { Proposer } from '../patch/proposer.ts';
import type { Registry } from '../registry/registry.ts';
import type { RolloutJob } from '../rollout/rollout-job.ts';
import type { TaskSplits } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { RunConfig } from './run-config.ts';
import type { RunObserver } from './run-event.ts';
import type { TokenBudget } from './token-budget.ts';

/** Engines by θ. The same identity gives the same open engine; at most a few stay open, the rest are closed. */
export interface ModelPool {
  base: ModelIdentity;
  open(identity: ModelIdentity): Promise<ModelBackend>;
  close(): Promise<void>;
}

export interface TrainedWeights {
  adapter: ContentHash;
  rows: number;
  firstLoss: number;
  lastLoss: number;
  seconds: number;
}

/**
 * Turns selected rows into new weights. `initial` is the adapter to continue, null = from the base. Rejects with CoHarnessError and leaves
 * checkpoints behind, so that the same call continues.
 */
export interface WeightTrainer {
  train(request: {
    dataset: ContentHash;
    datasetFolder: string;
    /** Passes over the rows, ≥ 1. */
    epochs: number;
    initial: ContentHash | null;
    seed: number;
    onProgress: (progress: {
      step: number;
      steps: number;
      loss: number;
      tokensPerSecond: number;
      secondsLeft: number;
    }) => void;
    signal: AbortSignal;
  }): Promise<TrainedWeights>;
}

/** Latest measurements, updated after every batch and training. */
export interface Throughput {
  /** Of the last batch, whichever pairs were in it. */
  secondsPerRollout: number;
  tokensPerRollout: number;
  secondsPerTrainingRow: number;
  /** Seconds per rollout of the latest pairs that had a batch bought in full, by harness hash and adapter. */
  secondsByPair: Readonly<Record<string, number>>;
}

/** Everything the loop needs from outside. One per seed. */
export interface RunContext {
  config: RunConfig;
  /** Run folder. */
  folder: string;
  seed: number;
  seedHarness: Harness;
  splits: TaskSplits;
  verifier: Verifier;
  journal: Journal;
  registry: Registry;
  models: ModelPool;
  trainer: WeightTrainer;
  /** What every rollout is given beside its task. */
  surroundings: Pick<RolloutJob, 'runner' | 'toolHosts'>;
  propose: Proposer;
  /** One for all seeds of the run. */
  tokens: TokenBudget;
  /** Asked about failures that the evidence leaves open; null = the evidence alone. */
  reader: CriticReader | null;
  /** Asked for diffs before operators fill up; null = operators alone. */
  proposalReader: CriticReader | null;
  clock: Clock;
  /** Seconds of the time budget used by earlier processes of the same run. */
  secondsSpentBefore: number;
  startedAt: number;
  signal: AbortSignal;
  emit: RunObserver;
  /** Rollouts seen on `train` by the hash of their identity, in order: material for proposers. */
  trainHistory: Map<string, Trajectory>;
  /** Rollouts that came from the journal: their wall times say nothing about the present load. */
  reused: WeakSet<Trajectory>;
  throughput: Throughput;
}

/** Seconds of the run's time budget used so far. */
export function secondsSpent(context: RunContext): number {
  return context.secondsSpentBefore + (context.clock.now() - context.startedAt) / 1000;
}
