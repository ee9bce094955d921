import { CoHarnessError } from '../base/errors.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { RolloutStep } from './roll-out.ts';
import type { RunContext } from './run-context.ts';

/** Throws CoHarnessError `infrastructure` when more than `maxUnscoredShare` of the rollouts got no score. */
export function refuseOutage(context: RunContext, { step }: RolloutStep, trajectories: readonly Trajectory[]): void {
  if (!lacksScores(context, trajectories)) return;
  const unscored = trajectories.filter(isUnscored);
  throw new CoHarnessError(
    'infrastructure',
    `${unscored.length} of ${trajectories.length} rollouts (${step}) got no score because of infrastructure, the limit is ` +
      `${Math.round(context.config.maxUnscoredShare * 100)}%. First cause: ${firstCauseOf(trajectories)}. ` +
      'Nothing was counted against the agent. Mend the cause and run the same command again: finished rollouts are kept.',
    { details: { unscored: unscored.length, total: trajectories.length } },
  );
}

/** Whether more of them than `maxUnscoredShare` got no score. */
export function lacksScores({ config }: RunContext, trajectories: readonly Trajectory[]): boolean {
  return shareUnscored(trajectories) > config.maxUnscoredShare;
}

/** Why the first one without a score has none. */
export function firstCauseOf(trajectories: readonly Trajectory[]): string {
  return trajectories.find(isUnscored)?.outcome.why ?? 'unknown';
}

/**
 * Arms that ran side by side on one engine, without those that lack scores alone: the fewest whose going leaves the rest within the limit, worst first. Where nothing
 * would be left it is no arm's own doing, and all stay.
 */
export function withoutLoneFaults<Arm extends readonly Trajectory[]>(context: RunContext, arms: readonly Arm[]): Arm[] {
  const worstFirst = [...arms].sort((a, b) => shareUnscored(b) - shareUnscored(a));
  const going = worstFirst.findIndex((_, index) => !lacksScores(context, worstFirst.slice(index).flat()));
  const gone = new Set(going < 0 ? [] : worstFirst.slice(0, going));
  return arms.filter((arm) => !gone.has(arm));
}

function shareUnscored(trajectories: readonly Trajectory[]): number {
  return trajectories.filter(isUnscored).length / Math.max(1, trajectories.length);
}

function isUnscored({ outcome }: Trajectory): boolean {
  return outcome.kind === 'unscored';
}
