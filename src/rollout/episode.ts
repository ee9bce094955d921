import type { TokenUsage } from '../model/model-backend.ts';
import type { FaultBoundary, OwnCause, TrajectoryEvent } from '../trajectory/trajectory.ts';

/** One pass of φ on a task. `fault`: infrastructure failed, there is nothing to score; `cause` where φ may have done it. */
export interface Episode {
  events: TrajectoryEvent[];
  usage: TokenUsage;
  answer: string | null;
  wallLimitReached: boolean;
  fault: { boundary: FaultBoundary; problem: string; cause?: OwnCause } | null;
}
