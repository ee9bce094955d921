import type { Task } from '../task/task.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';

/** What somebody knows to be right in one failed rollout: from a verified sibling, a reference solution, a back end's true answer. */
export interface SuppliedCorrection {
  /** The reply that the model should have given at `turn`. */
  action?: { turn: number; text: string };
  /** What should have come back to the reply of `turn`, as the model is shown it. */
  observation?: { turn: number; text: string };
}

/** One failed rollout of a cluster, with its task. */
export interface ReplayCase {
  trajectory: Trajectory;
  task: Task;
  supplied?: SuppliedCorrection;
}
