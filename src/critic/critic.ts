import type { Harness } from '../harness/harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Diagnosis } from './attribution.ts';

/**
 * HarnessCritic: at most one diagnosis per failed rollout, in the order of `trajectories`. Successes and unscored rollouts are
 * skipped. Source: Co-Harness (arXiv 2607.22688), attribution step.
 */
export interface Critic {
  readonly name: string;
  diagnose(trajectories: readonly Trajectory[], harness: Harness): Promise<Diagnosis[]>;
}

/** A scored rollout below 1 on a train task: what a critic may see. */
export function isFailure(trajectory: Trajectory): boolean {
  return trajectory.outcome.kind === 'scored' && trajectory.outcome.score < 1;
}
