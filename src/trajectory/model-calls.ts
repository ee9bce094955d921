import type { Trajectory, TrajectoryEvent } from './trajectory.ts';

export type ModelCall = Extract<TrajectoryEvent, { type: 'model-called' }>;

/** The model calls of a rollout, or of one pass, in order; those of later votes follow those of earlier ones. */
export function modelCalls({ events }: Pick<Trajectory, 'events'>): ModelCall[] {
  return events.filter((event) => event.type === 'model-called');
}
