import { seededRandom, seedFrom } from '../base/random.ts';
import type { Harness } from '../harness/harness.ts';
import type { Task } from '../task/task.ts';
import type { RunContext } from './run-context.ts';

/** Without the tasks that φ shows as examples, in their order: what φ quotes shows nothing of the agent. */
export function withoutShown(tasks: readonly Task[], { examples }: Harness): Task[] {
  const shown = new Set(examples.flatMap(({ fromTasks }) => fromTasks));
  return tasks.filter(({ hash }) => !shown.has(hash));
}

/** At most `count` train tasks in seeded order, without those shown as examples in φ: they are neither mined nor trained on. */
export function drawTrainTasks(context: RunContext, harness: Harness, stream: string, count: number): Task[] {
  const open = withoutShown(context.splits.train, harness);
  return seededRandom(seedFrom(context.seed, stream)).shuffled(open).slice(0, count);
}

/**
 * Tasks of one group that the gate rolls out: near-copies share their luck, so more of them add cost and little evidence. Where groups are few, a mean over
 * more of each is all there is to gain: as many as make a gate of `WANTED_TASKS`.
 */
const FEWEST_PER_GROUP = 2;
const MOST_PER_GROUP = 8;
const WANTED_TASKS = 240;

/**
 * Gate tasks in a seeded order, groups together: the order in which evidence is bought. Fixed for the run, so that an iteration's
 * candidates and the iterations after it meet the same tasks and share the parent's rollouts.
 */
export function gateGroups(context: Pick<RunContext, 'splits' | 'seed'>): Task[][] {
  const groups = Map.groupBy(context.splits.gate, (task) => task.group);
  const names = [...groups.keys()].sort();
  const wanted = Math.ceil(WANTED_TASKS / Math.max(1, names.length));
  const perGroup = Math.max(FEWEST_PER_GROUP, Math.min(MOST_PER_GROUP, wanted));
  return seededRandom(seedFrom(context.seed, 'gate order'))
    .shuffled(names)
    .map((name) => (groups.get(name) ?? []).slice(0, perGroup));
}

/** Mean number of tasks in a gate group, ≥ 1: what one more group costs. */
export function tasksPerGateGroup(context: Pick<RunContext, 'splits' | 'seed'>): number {
  const groups = gateGroups(context);
  return Math.max(1, groups.flat().length / Math.max(1, groups.length));
}
