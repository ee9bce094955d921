import { seededRandom, seedFrom } from '../base/random.ts';
import type { Harness } from '../harness/harness.ts';
import type { Task } from '../task/task.ts';
import type { RunContext } from './run-context.ts';

/** At most `count` train tasks in seeded order, without those shown as examples in φ: what φ quotes is neither mined nor trained on. */
export function drawTrainTasks(context: RunContext, harness: Harness, stream: string, count: number): Task[] {
  const shown = new Set(harness.examples.flatMap((example) => example.fromTasks));
  const open = context.splits.train.filter((task) => !shown.has(task.hash));
  return seededRandom(seedFrom(context.seed, stream)).shuffled(open).slice(0, count);
}

/** Most tasks of one group that the gate rolls out: near-copies share their luck, more of them add cost and little evidence. */
const TASKS_PER_GROUP = 2;

/**
 * Gate tasks in a seeded order, groups together: the order in which evidence is bought. Fixed for the run, so that an iteration's
 * candidates and the iterations after it meet the same tasks and share the parent's rollouts.
 */
export function gateGroups(context: RunContext): Task[][] {
  const groups = Map.groupBy(context.splits.gate, (task) => task.group);
  const names = [...groups.keys()].sort();
  return seededRandom(seedFrom(context.seed, 'gate order'))
    .shuffled(names)
    .map((name) => (groups.get(name) ?? []).slice(0, TASKS_PER_GROUP));
}

/** Mean number of tasks in a gate group, ≥ 1: what one more group costs. */
export function tasksPerGateGroup(context: RunContext): number {
  const groups = gateGroups(context);
  return Math.max(1, groups.flat().length / Math.max(1, groups.length));
}
