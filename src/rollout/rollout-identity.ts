import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { RolloutIdentity } from '../trajectory/trajectory.ts';
import type { RolloutJob } from './rollout-job.ts';

/** Everything that decides the rollout of a job: content, never a position. */
export function rolloutIdentity(job: Omit<RolloutJob, 'clock' | 'signal'>): RolloutIdentity {
  return {
    harness: job.harness.hash,
    model: job.model.identity,
    task: job.task.hash,
    split: job.split,
    repeat: job.repeat,
    seed: job.seed,
    verifier: job.verifier.version,
    sampling: job.sampling,
    ...(job.runner === undefined ? {} : { runner: job.runner.version }),
  };
}

/** Journal key of a rollout, and the name by which diagnoses and datasets point at it. */
export function rolloutKey(identity: RolloutIdentity): ContentHash {
  return contentHash(identity);
}
