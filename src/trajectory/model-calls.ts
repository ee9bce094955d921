import type { Trajectory, TrajectoryEvent } from './trajectory.ts';

export type ModelCall = Extract<TrajectoryEvent, { type: 'model-called' }>;

/** The model calls of a rollout in order; those of later votes follow those of earlier ones. */
export function modelCalls(trajectory: Trajectory): ModelCall[] {
  return trajectory.events.filter((event) => event.type === 'model-called');
}
