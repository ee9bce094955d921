import { manualClock } from '../../base/clock.ts';
import type { ContentHash } from '../../base/content-hash.ts';
import type { AttributionLabel } from '../../critic/attribution.ts';
import type { ComponentKind, Harness } from '../../harness/harness.ts';
import type { ModelBackend, Sampling } from '../../model/model-backend.ts';
import { rolloutKey } from '../../rollout/rollout-identity.ts';
import { runRollout } from '../../rollout/run-rollout.ts';
import type { Task } from '../../task/task.ts';
import { isFailure, isSuccess } from '../../trajectory/is-success.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import type { Mutation } from './mutation/mutation.ts';
import type { LabScenario } from './scenarios/lab-scenario.ts';

/** What really caused a failure. `component` is null for the agent's own errors. */
export interface Truth {
  label: AttributionLabel;
  component: ComponentKind | null;
}

export interface LabFailure {
  /** Hash of the rollout's identity, by which diagnoses point at it. */
  key: ContentHash;
  trajectory: Trajectory;
  task: Task;
}

/** Failures under one harness that share their truth: of one mutation, or of the agent under the intact harness. */
export interface LabGroup {
  scenario: LabScenario;
  mutation: Mutation | null;
  truth: Truth;
  harness: Harness;
  /** The first ones, at most as many as asked for. */
  failures: LabFailure[];
  /** Rollouts of the same harness that passed: what a run would mine beside the failures. */
  passed: Trajectory[];
  tasks: number;
  /** Tasks that the intact harness passes and this one fails. */
  lost: number;
}

/** Rollouts of one φ in the order of the tasks, one a task, the same whenever they are asked for again. */
export type RollOut = (harness: Harness, tasks: readonly Task[]) => Promise<Trajectory[]>;

export interface CollectOptions {
  rollOut: RollOut;
  tasks: readonly Task[];
  /** Failures kept per group. */
  mostFailures: number;
}

export async function rollOutTask(
  scenario: LabScenario,
  harness: Harness,
  model: ModelBackend,
  task: Task,
  { seed = 0, sampling = null }: { seed?: number; sampling?: Sampling | null } = {},
): Promise<Trajectory> {
  return runRollout({
    harness,
    model,
    task,
    split: 'train',
    repeat: 0,
    seed,
    verifier: scenario.verifier,
    sampling,
    clock: manualClock(),
  });
}

/** The scripted actor's rollouts. */
export function scriptedRollOut(scenario: LabScenario, model: ModelBackend): RollOut {
  return async (harness, tasks) => {
    const rollouts: Trajectory[] = [];
    for (const task of tasks) rollouts.push(await rollOutTask(scenario, harness, model, task));
    return rollouts;
  };
}

/** Failures of one mutation, among the tasks that the intact harness passes. `intact`: its rollouts of `tasks`, in their order. */
export async function mutationGroup(
  scenario: LabScenario,
  mutation: Mutation,
  intact: readonly Trajectory[],
  { rollOut, tasks, mostFailures }: CollectOptions,
): Promise<LabGroup> {
  const { harness, label, component } = mutation;
  const within = tasks.filter((_, index) => isSuccess(intact[index] as Trajectory));
  const rollouts = await rollOut(harness, within);
  const failures = labFailures(rollouts, within);
  return {
    scenario,
    mutation,
    truth: { label, component },
    harness,
    failures: failures.slice(0, mostFailures),
    passed: rollouts.filter(isSuccess),
    tasks: tasks.length,
    lost: failures.length,
  };
}

/** Failures of the intact harness. It must be the best one there is: only then nobody but the agent is to blame. */
export function agentErrorGroup(
  scenario: LabScenario,
  intact: readonly Trajectory[],
  tasks: readonly Task[],
): LabGroup {
  const truth = { label: 'agent_error', component: null } as const;
  return {
    scenario,
    mutation: null,
    truth,
    harness: scenario.harness,
    failures: labFailures(intact, tasks),
    passed: intact.filter(isSuccess),
    tasks: tasks.length,
    lost: 0,
  };
}

function labFailures(rollouts: readonly Trajectory[], tasks: readonly Task[]): LabFailure[] {
  return rollouts.flatMap((trajectory, index) =>
    isFailure(trajectory) ? [labFailure(trajectory, tasks[index] as Task)] : [],
  );
}

export function labFailure(trajectory: Trajectory, task: Task): LabFailure {
  return { key: rolloutKey(trajectory.identity), trajectory, task };
}

/** What a run's critic is given: the failures, and beside them what the same harness carried through. */
export function minedOf({ failures, passed }: Pick<LabGroup, 'failures' | 'passed'>): Trajectory[] {
  return [...failures.map(({ trajectory }) => trajectory), ...passed];
}
