import type { PairedOutcome } from '../gate/judge.ts';
import type { Task } from '../task/task.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { batchProgress, rollOrders } from './roll-out.ts';
import {
  type Arm,
  orderOfArm,
  type PairOrder,
  pairedOutcome,
  refuseOutageOfPairs,
  type SeenRollouts,
} from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';

/** Rollouts of one arm that are timed together, at least. */
const FEWEST_IN_BLOCK = 4;

/**
 * Both arms on the same gate tasks and seeds as `rollPairs` does, but one after the other in blocks, each timed from its first start to its last end: how
 * many rollouts are in flight shows in the time of all of them, never in that of one. The arm that goes first changes from block to block of the whole decision,
 * so that a load that rises or falls, and what the second arm finds in a cache, favours neither. Rollouts are bought for this decision alone; a block that holds one from the journal has no time.
 */
export async function rollApart(
  context: RunContext,
  order: PairOrder,
  tasks: readonly Task[],
  seen: SeenRollouts,
): Promise<PairedOutcome[]> {
  const seedStream = `${order.seedStream} ${order.parent.harness.hash} ${order.child.harness.hash}`;
  const total = tasks.length * order.repeats;
  const arms = {
    parent: { arm: order.parent, progress: batchProgress(context, { ...order, step: `${order.step}: parent` }, total) },
    child: { arm: order.child, progress: batchProgress(context, { ...order, step: `${order.step}: child` }, total) },
  };
  const outcomes: PairedOutcome[] = [];
  for (const block of await blocksOf(context, order, tasks)) {
    const run = async (name: 'parent' | 'child') => {
      const { arm, progress } = arms[name];
      const startedAt = context.clock.now();
      const timed = { ...orderOfArm(arm, { ...order, seedStream }, block), isTimed: true };
      const [rollouts = []] = await rollOrders(context, [timed], progress);
      seen[name].push(...rollouts);
      return { rollouts, ms: context.clock.now() - startedAt };
    };
    const first = seen.blocks % 2 === 0 ? 'parent' : 'child';
    seen.blocks++;
    const [a, b] = [await run(first), await run(first === 'parent' ? 'child' : 'parent')];
    const [parent, child] = first === 'parent' ? [a, b] : [b, a];
    const isFresh = [...parent.rollouts, ...child.rollouts].every((rollout) => !context.reused.has(rollout));
    const share = 1 / Math.max(1, parent.rollouts.length);
    const times = isFresh ? { parentMs: parent.ms * share, childMs: child.ms * share } : {};
    const timedWith = `block ${seen.blocks}`;
    for (const [at, rollout] of parent.rollouts.entries()) {
      outcomes.push({ ...pairedOutcome(order, rollout, child.rollouts[at] as Trajectory), ...times, timedWith });
    }
  }
  refuseOutageOfPairs(context, order, seen.parent, seen.child);
  seen.inFlight = {
    parent: Math.max(seen.inFlight?.parent ?? 0, arms.parent.progress.mostInFlight),
    child: Math.max(seen.inFlight?.child ?? 0, arms.child.progress.mostInFlight),
  };
  return outcomes;
}

/** Rollouts of one arm that are timed together: as many as the arm that runs more of them at once has in flight. */
export async function blockSize(context: RunContext, arms: readonly Arm[]): Promise<number> {
  const wanted = await Promise.all(
    arms.map(
      async ({ harness, pair }) =>
        harness.settings.batching.inFlight ?? (await context.models.open(pair.model)).concurrency,
    ),
  );
  return Math.max(FEWEST_IN_BLOCK, ...wanted);
}

/** No block is smaller than that, where there are as many tasks: what is left over would not fill it, and joins the others. */
async function blocksOf(
  context: RunContext,
  { parent, child, repeats }: PairOrder,
  tasks: readonly Task[],
): Promise<Task[][]> {
  const size = Math.ceil((await blockSize(context, [parent, child])) / repeats);
  const count = Math.max(1, Math.floor(tasks.length / size));
  return Array.from({ length: count }, (_, index) =>
    tasks.slice(Math.floor((index * tasks.length) / count), Math.floor(((index + 1) * tasks.length) / count)),
  );
}
