import { firstCause } from '../critic/evidence-critic.ts';
import type { PairedOutcome } from '../gate/judge.ts';
import type { Harness } from '../harness/harness.ts';
import { tokensOf } from '../model/tokens-of.ts';
import type { Patch } from '../patch/patch.ts';
import type { Pair } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { refuseOutage, withoutLoneFaults } from './outage.ts';
import { batchProgress, type RolloutOrder, type RolloutStep, rollOrders } from './roll-out.ts';
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
  const progress = batchProgress(context, order, 2 * tasks.length * order.repeats);
  const [before = [], after = []] = await rollOrders(context, arms, progress, order.purpose);
  refuseOutageOfPairs(context, order, before, after);
  seen.parent.push(...before);
  seen.child.push(...after);
  return before.map((parent, index) => {
    const child = after[index] as Trajectory;
    return { ...pairedOutcome(order, parent, child), ...times(context, parent, child) };
  });
}

/**
 * Throws CoHarnessError `infrastructure` as refuseOutage does, for what the gate cannot judge: not for pairs in which one alone lacks its score for a cause of its own, nor for what a
 * diff of φ alone lacks, as arms of one θ share its engine.
 */
export function refuseOutageOfPairs(
  context: RunContext,
  order: PairOrder,
  parents: readonly Trajectory[],
  children: readonly Trajectory[],
): void {
  const open = withoutOwnCauses(parents, children);
  refuseOutage(context, order, (order.patch === null ? open : withoutLoneFaults(context, open)).flat());
}

/** Both arms without the pairs in which one alone lacks its score for a cause of its own: they are decided, and show no outage. */
function withoutOwnCauses(parents: readonly Trajectory[], children: readonly Trajectory[]): Trajectory[][] {
  const isOpen = parents.map((parent, index) => {
    const child = children[index] as Trajectory;
    return !isAlone(parent, child) && !isAlone(child, parent);
  });
  return [parents, children].map((arm) => arm.filter((_, index) => isOpen[index]));
}

export function orderOfArm(
  { harness, pair }: Arm,
  { repeats, seedStream }: PairOrder,
  tasks: readonly Task[],
): RolloutOrder {
  return { harness, model: pair.model, tasks, split: 'gate', repeats, sampling: null, seedStream };
}

/** Two rollouts of one task and seed as evidence, without their times. */
export function pairedOutcome(order: PairOrder, parentRollout: Trajectory, childRollout: Trajectory): PairedOutcome {
  const { patch, parent, child } = order;
  return {
    task: parentRollout.identity.task,
    group: parentRollout.group,
    repeat: parentRollout.identity.repeat,
    ...scoresOf(order, parentRollout, childRollout),
    ...tokensOfBoth(parentRollout, childRollout),
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
 * Scores as evidence. What one arm alone lacks for a cause of its own counts against a child and never for it: the child's is 0, the parent's that of the child. In an
 * audit, which must not roll back by a rule that leans to one side, either is 0. All else that has no score stays without one.
 */
function scoresOf(
  { patch, purpose }: PairOrder,
  parent: Trajectory,
  child: Trajectory,
): Pick<PairedOutcome, 'parent' | 'child'> {
  if (isAlone(child, parent)) return { parent: scoreOf(parent), child: 0 };
  if (isAlone(parent, child)) return { parent: purpose === 'audit' ? 0 : scoreOf(child), child: scoreOf(child) };
  return { parent: parentScore(patch, parent, child), child: scoreOf(child) };
}

/** Whether a rollout lacks its score for a cause of its own, where the other arm has one. */
function isAlone({ outcome }: Trajectory, other: Trajectory): boolean {
  return outcome.kind === 'unscored' && outcome.cause !== undefined && scoreOf(other) !== null;
}

/** Nobody counts what a generation used that was cut off: a child is not cheap by it. */
function tokensOfBoth(parent: Trajectory, child: Trajectory): Pick<PairedOutcome, 'parentTokens' | 'childTokens'> {
  const [parentTokens, childTokens] = [tokensOf(parent.usage), tokensOf(child.usage)];
  return { parentTokens, childTokens: isAlone(child, parent) ? Math.max(parentTokens, childTokens) : childTokens };
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
  const parentMs = isAlone(parent, child) ? Math.min(parent.wallMs, child.wallMs) : parent.wallMs;
  return { parentMs, childMs: isAlone(child, parent) ? Math.max(parent.wallMs, child.wallMs) : child.wallMs };
}
