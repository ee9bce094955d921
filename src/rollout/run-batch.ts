import { setMaxListeners } from 'node:events';
import type { ContentHash } from '../base/content-hash.ts';
import { AbortedError, errorMessage } from '../base/errors.ts';
import type { Journal } from '../base/journal.ts';
import { checkSchema } from '../base/json.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { trajectorySchema } from '../trajectory/trajectory-schema.ts';
import { rolloutIdentity, rolloutKey } from './rollout-identity.ts';
import type { RolloutJob, RunRollout } from './rollout-job.ts';
import { runRollout } from './run-rollout.ts';

/** State of a batch after one more rollout. */
export interface BatchProgress {
  finished: number;
  total: number;
  trajectory: Trajectory;
  /** Whether it came from the journal. */
  isReused: boolean;
  /** Rollouts in flight when this one started, itself included; 0 where it came from the journal. */
  inFlight: number;
}

export interface BatchOptions {
  journal: Journal;
  /** Hears of every distinct rollout. What it throws is reported as a warning and changes nothing. */
  onProgress?: (progress: BatchProgress) => void;
  signal?: AbortSignal;
  /** How one rollout is run; default: the agent loop. */
  run?: RunRollout;
}

/**
 * Trajectories in job order. Jobs with the same identity run once. A scored rollout is stored in the journal (kind `rollout`) as it
 * finishes, and one that is stored is not run again; an unscored one is returned but not stored, so that a later run tries it again.
 * As many are in flight as their φ asks for (`batching.inFlight`), where it names no number the largest `concurrency` among the jobs' models; those of
 * another number wait until they have ended, so that each meets the load it chose.
 *
 * When `signal` fires, nothing new starts, what is in flight is cancelled, and the batch rejects with AbortedError once all of it has ended.
 */
export async function runBatch(jobs: readonly RolloutJob[], options: BatchOptions): Promise<Trajectory[]> {
  const { journal, signal } = options;
  if (signal !== undefined) setMaxListeners(0, signal);
  const keys = jobs.map((job) => rolloutKey(rolloutIdentity(job)));
  const distinct = new Map(keys.map((key, index): [ContentHash, RolloutJob] => [key, jobs[index] as RolloutJob]));
  const finished = new Map<ContentHash, Trajectory>();
  let running = 0;
  const counted = async (key: ContentHash, job: RolloutJob) => {
    const inFlight = ++running;
    try {
      return { trajectory: await runAndStore(key, job, options), isReused: false, inFlight };
    } finally {
      running--;
    }
  };

  const work = async (queue: Iterable<[ContentHash, RolloutJob]>): Promise<void> => {
    for (const [key, job] of queue) {
      if (signal?.aborted) throw new AbortedError();
      const stored = await journal.get(key);
      const rollout =
        stored === undefined
          ? await counted(key, job)
          : { trajectory: readStored(key, stored), isReused: true, inFlight: 0 };
      finished.set(key, rollout.trajectory);
      report(options, { finished: finished.size, total: distinct.size, ...rollout });
    }
  };
  const byEngine = Math.max(1, ...jobs.map(({ model }) => model.concurrency));
  const lanes = Map.groupBy(distinct, ([, job]) => job.harness.settings.batching.inFlight ?? byEngine);
  for (const [wanted, lane] of lanes) {
    const queue = lane.values();
    const settled = await Promise.allSettled(Array.from({ length: Math.min(lane.length, wanted) }, () => work(queue)));
    for (const worker of settled) if (worker.status === 'rejected') throw worker.reason;
  }
  return keys.map((key) => finished.get(key) as Trajectory);
}

async function runAndStore(key: ContentHash, job: RolloutJob, options: BatchOptions): Promise<Trajectory> {
  const { journal, signal, run = runRollout } = options;
  const trajectory = await run(signal === undefined ? job : { ...job, signal });
  if (trajectory.outcome.kind === 'scored') await journal.put({ key, kind: 'rollout', value: trajectory });
  return trajectory;
}

function readStored(key: ContentHash, stored: unknown): Trajectory {
  return checkSchema(trajectorySchema, stored, { file: `rollout ${key} of the journal` }) as Trajectory;
}

function report({ onProgress }: BatchOptions, progress: BatchProgress): void {
  try {
    onProgress?.(progress);
  } catch (error) {
    process.emitWarning(`A progress observer failed: ${errorMessage(error)}`);
  }
}
