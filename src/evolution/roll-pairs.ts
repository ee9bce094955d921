import { firstCause } from '../critic/evidence-critic.ts';
import type { PairedOutcome } from '../gate/judge.ts';
import type { Harness } from '../harness/harness.ts';
import { tokensOf } from '../model/tokens-of.ts';
import type { Patch } from '../patch/patch.ts';
import type { Pair } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { type RolloutOrder, type RolloutStep, rollOut } from './roll-out.ts';
import type { RunContext } from './run-context.ts';

/** One side of a comparison. */
export interface Arm {
  harness: Harness;
  pair: Pair;
}

export interface PairOrder extends RolloutStep {
  parent: Arm;
  child: Arm;
  patch: Patch | null;
  seedStream: string;
  /** Rollouts of each task in each arm. */
  repeats: number;
}

/** What a decision's rollouts showed beside their scores: for the diff's probe. */
export interface SeenRollouts {
  parent: Trajectory[];
  child: Trajectory[];
  /** Blocks that the arms ran apart so far. */
  blocks: number;
  /** Rollouts in flight at once in each arm, where the arms ran apart. */
  inFlight?: { parent: number; child: number };
}

/** Both arms on the same gate tasks and seeds, in one batch; `seen` keeps the rollouts for the probe. */
export async function rollPairs(
  context: RunContext,
  order: PairOrder,
  tasks: readonly Task[],
  seen: Pick<SeenRollouts, 'parent' | 'child'>,
): Promise<PairedOutcome[]> {
  const arms = [order.parent, order.child].map((arm) => orderOfArm(arm, order, tasks));
  const [before = [], after = []] = await rollOut(context, order, arms);
  seen.parent.push(...before);
  seen.child.push(...after);
  return before.map((parent, index) => {
    const child = after[index] as Trajectory;
    return { ...pairedOutcome(order, parent, child), ...times(context, parent, child) };
  });
}

export function orderOfArm(
  { harness, pair }: Arm,
  { repeats, seedStream }: PairOrder,
  tasks: readonly Task[],
): RolloutOrder {
  return { harness, model: pair.model, tasks, split: 'gate', repeats, sampling: null, seedStream };
}

/** Two rollouts of one task and seed as evidence, without their times. */
export function pairedOutcome(
  { patch, parent, child }: PairOrder,
  parentRollout: Trajectory,
  childRollout: Trajectory,
): PairedOutcome {
  return {
    task: parentRollout.identity.task,
    group: parentRollout.group,
    repeat: parentRollout.identity.repeat,
    parent: parentScore(patch, parentRollout, childRollout),
    child: scoreOf(childRollout),
    parentTokens: tokensOf(parentRollout.usage),
    childTokens: tokensOf(childRollout.usage),
    targeted: isTargeted(patch, parentRollout, parent.harness) || isTargeted(patch, childRollout, child.harness),
  };
}

/**
 * The gate labels its own rollouts with the same rules; what it sees of gate tasks never leaves it. Asked of both arms: a stratum picked by the
 * parent's failures alone recovers by itself (regression to the mean).
 */
function isTargeted(patch: Patch | null, rollout: Trajectory, harness: Harness): boolean {
  const target = patch?.target;
  if (target === null || target === undefined) return false;
  const cause = firstCause(rollout, harness);
  return cause !== null && cause.mechanism === target.mechanism && cause.label === target.label;
}

/**
 * A time-out of the parent alone earns a diff nothing unless running out of time is what the diff aims at: both arms share engine and cores, so a
 * diff that only slows its neighbour down would otherwise look better. The pair then counts as a tie, which can only withhold credit.
 */
function parentScore(patch: Patch | null, parent: Trajectory, child: Trajectory): number | null {
  const own = scoreOf(parent);
  const aimsAtTime = patch === null || patch.relaxes.includes('time') || patch.target?.mechanism === 'wall-limit';
  if (aimsAtTime || own === null || !ranOutOfTime(parent) || ranOutOfTime(child)) return own;
  return Math.max(own, scoreOf(child) ?? own);
}

function ranOutOfTime({ events }: Trajectory): boolean {
  return events.some(({ type }) => type === 'wall-limit-reached');
}

/** Wall times, where both rollouts ran in this very batch: one from the journal met another load. */
function times(
  { reused }: RunContext,
  parent: Trajectory,
  child: Trajectory,
): Pick<PairedOutcome, 'parentMs' | 'childMs'> {
  if (reused.has(parent) || reused.has(child)) return {};
  return { parentMs: parent.wallMs, childMs: child.wallMs };
}
