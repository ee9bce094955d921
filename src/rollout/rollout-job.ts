import type { Clock } from '../base/clock.ts';
import type { ContentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelBackend, Sampling } from '../model/model-backend.ts';
import type { Split, Task } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Episode } from './episode.ts';
import type { ToolHosts } from './tools/tool-hosts.ts';

/** Something else than the agent loop that takes φ through a task: somebody's own agent. */
export interface Runner {
  /** Hash of what decides its behaviour beside φ. */
  version: ContentHash;
  /** The contract of the agent loop: rejects with AbortedError or InvariantError alone. */
  pass(job: RolloutJob, startMs: number, vote: number | null): Promise<Episode>;
  close(): Promise<void>;
}

export interface RolloutJob {
  harness: Harness;
  model: ModelBackend;
  task: Task;
  split: Split | 'eval';
  repeat: number;
  seed: number;
  verifier: Verifier;
  sampling: Sampling | null;
  clock: Clock;
  /** Default: the agent loop. */
  runner?: Runner;
  /** Where tools run that are not built in, and `js` middleware; default: JavaScript alone. */
  toolHosts?: ToolHosts;
  signal?: AbortSignal;
}

/**
 * Must not reject for anything the task, tools, model or verifier did: that is recorded as a fault. Rejects only with AbortedError
 * or InvariantError.
 */
export type RunRollout = (job: RolloutJob) => Promise<Trajectory>;
