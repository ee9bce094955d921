import type { Trajectory } from './trajectory.ts';

/** Score in [0, 1]; null where there is none, which is not 0. */
export function scoreOf({ outcome }: Trajectory): number | null {
  return outcome.kind === 'scored' ? outcome.score : null;
}
