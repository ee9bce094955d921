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
