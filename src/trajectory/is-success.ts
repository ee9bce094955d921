import type { Trajectory } from './trajectory.ts';

/** Whether the verifier gave the full score. An unscored rollout is neither a success nor a failure: see {@link isFailure}. */
export function isSuccess({ outcome }: Trajectory): boolean {
  return outcome.kind === 'scored' && outcome.score >= 1;
}

/** Whether the verifier gave less than the full score. */
export function isFailure({ outcome }: Trajectory): boolean {
  return outcome.kind === 'scored' && outcome.score < 1;
}
