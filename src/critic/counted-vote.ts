import type { Trajectory } from '../trajectory/trajectory.ts';

/** The rollout with the events of the vote whose answer counted: each vote is a course of its own. */
export function countedVote(trajectory: Trajectory): Trajectory {
  const counted = trajectory.events.find((event) => event.type === 'answered' && event.answer === trajectory.answer);
  const vote = counted?.vote ?? trajectory.events.find((event) => event.vote !== undefined)?.vote;
  if (vote === undefined) return trajectory;
  return {
    ...trajectory,
    events: trajectory.events.filter((event) => event.vote === undefined || event.vote === vote),
  };
}
