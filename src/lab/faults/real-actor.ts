import type { Task } from '../../task/task.ts';
import { isSuccess } from '../../trajectory/is-success.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { agentErrorGroup, type LabGroup, mutationGroup, type RollOut } from './collect-failures.ts';
import { FAULT_CATALOGUES, type FaultSplit } from './fault-catalogues.ts';
import { allMutations } from './mutation/all-mutations.ts';
import { LEAST_LOSS, type Mutation } from './mutation/mutation.ts';
import { LAB_WINDOW_TOKENS, type LabScenario } from './scenarios/lab-scenario.ts';
import { workshop } from './scenarios/workshop.ts';
import type { CauseTestOptions } from './test-causes.ts';

/** A real model under a φ that works with it, in the place of a scripted actor. */
export interface RealActor {
  /** φ, its verifier, and the tasks of which operators may see references. */
  scenario: LabScenario;
  /** Tasks on which φ is broken; none of them is in the scenario's stream. */
  tasks: readonly Task[];
  /** Whether φ is the best that its run found: only then its failures are the agent's own. */
  isBest: boolean;
  /** Rejects with CoHarnessError `infrastructure` where a rollout got no score. */
  rollOut: RollOut;
  stage: CauseTestOptions['stage'];
}

/** Tasks on which a loss must already show before the others are paid for. */
const FIRST_LOOK = 40;

/** A run's φ as a scenario; `train` (not empty) is repeated as an endless stream. Its mind is a stranger's: nobody acts it. */
export function scenarioOfRun(
  run: Pick<LabScenario, 'name' | 'harness' | 'verifier'>,
  train: readonly Task[],
): LabScenario {
  return { ...run, mind: workshop.mind, task: (index) => train[index % train.length] as Task };
}

/** Mutations of a run's φ, at most `perKind` of each kind, but for those that are sized by the window of the lab's own model: they fill no other. */
export function mutationsOfRun(
  scenario: LabScenario,
  split: FaultSplit,
  { perKind, seed }: { perKind: number; seed: number },
): Mutation[] {
  const all = allMutations(FAULT_CATALOGUES[split], scenario, { foreign: workshop.harness, perKind, seed });
  return all.filter(({ edits }) => !edits.some(({ value }) => isAsLongAsLabWindow(value)));
}

function isAsLongAsLabWindow(value: unknown): boolean {
  return typeof value === 'string' && value.length >= LAB_WINDOW_TOKENS / 2;
}

/**
 * Rollouts under a mutation in the order of `tasks`; null where it costs less than `LEAST_LOSS` of them, what it gains elsewhere set off, or already less of
 * the first `FIRST_LOOK`. `intact`: rollouts of the same tasks under the working φ.
 */
export async function costlyRollouts(
  { harness }: Pick<Mutation, 'harness'>,
  intact: readonly Trajectory[],
  { tasks, rollOut }: Pick<RealActor, 'tasks' | 'rollOut'>,
): Promise<Trajectory[] | null> {
  for (const count of [FIRST_LOOK, tasks.length]) {
    const rollouts = await rollOut(harness, tasks.slice(0, count));
    if ((passes(intact.slice(0, count)) - passes(rollouts)) / rollouts.length < LEAST_LOSS) return null;
    if (count >= tasks.length) return rollouts;
  }
  return null;
}

/** 0 where there is none. */
export function passRate(rollouts: readonly Trajectory[]): number {
  return passes(rollouts) / Math.max(1, rollouts.length);
}

function passes(rollouts: readonly Trajectory[]): number {
  return rollouts.filter(isSuccess).length;
}

/** Failures of every mutation that costs enough, and of the agent itself under φ where it is the best one found. */
export async function realFaultGroups(
  split: FaultSplit,
  { scenario, tasks, isBest, rollOut }: RealActor,
  {
    failures,
    onProgress = () => {},
    ...choice
  }: { perKind: number; seed: number; failures: number; onProgress?: (text: string) => void },
): Promise<LabGroup[]> {
  const collect = { rollOut, tasks, mostFailures: failures };
  const intact = await rollOut(scenario.harness, tasks);
  const mutations = mutationsOfRun(scenario, split, choice);
  const groups: LabGroup[] = [];
  for (const [index, mutation] of mutations.entries()) {
    const broken = await costlyRollouts(mutation, intact, { tasks, rollOut });
    if (broken !== null) groups.push(await mutationGroup(scenario, mutation, intact, collect));
    onProgress(`${index + 1} of ${mutations.length} mutations tried, ${groups.length} cost enough`);
  }
  if (groups.length === 0)
    onProgress(`no mutation costs ${LEAST_LOSS * 100}% of the tasks: is there anything that works?`);
  return isBest ? [...groups, agentErrorGroup(scenario, intact, tasks)] : groups;
}
