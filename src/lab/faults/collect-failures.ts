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

export interface CollectOptions {
  model: ModelBackend;
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

/** Rollouts of the intact harness, one a task. A mutation's failure counts only where this one passed. */
export async function intactRollouts(scenario: LabScenario, { model, tasks }: CollectOptions): Promise<Trajectory[]> {
  const rollouts: Trajectory[] = [];
  for (const task of tasks) rollouts.push(await rollOutTask(scenario, scenario.harness, model, task));
  return rollouts;
}

/** Failures of one mutation. */
export async function mutationGroup(
  scenario: LabScenario,
  mutation: Mutation,
  intact: readonly Trajectory[],
  { model, tasks, mostFailures }: CollectOptions,
): Promise<LabGroup> {
  const { harness } = mutation;
  const failures: LabFailure[] = [];
  const passed: Trajectory[] = [];
  for (const [index, task] of tasks.entries()) {
    if (!isSuccess(intact[index] as Trajectory)) continue;
    const trajectory = await rollOutTask(scenario, harness, model, task);
    if (isFailure(trajectory)) failures.push(labFailure(trajectory, task));
    else if (isSuccess(trajectory)) passed.push(trajectory);
  }
  const { label, component } = mutation;
  const lost = failures.length;
  const truth = { label, component };
  return {
    scenario,
    mutation,
    truth,
    harness,
    failures: failures.slice(0, mostFailures),
    passed,
    tasks: tasks.length,
    lost,
  };
}

/** Failures of the intact harness: the best one there is, so that only the agent can be to blame. */
export function agentErrorGroup(
  scenario: LabScenario,
  intact: readonly Trajectory[],
  { tasks }: CollectOptions,
): LabGroup {
  const failures = tasks.flatMap((task, index) => {
    const trajectory = intact[index] as Trajectory;
    return isFailure(trajectory) ? [labFailure(trajectory, task)] : [];
  });
  const truth = { label: 'agent_error', component: null } as const;
  return {
    scenario,
    mutation: null,
    truth,
    harness: scenario.harness,
    failures,
    passed: intact.filter(isSuccess),
    tasks: tasks.length,
    lost: 0,
  };
}

export function labFailure(trajectory: Trajectory, task: Task): LabFailure {
  return { key: rolloutKey(trajectory.identity), trajectory, task };
}

/** What a run's critic is given: the failures, and beside them what the same harness carried through. */
export function minedOf({ failures, passed }: Pick<LabGroup, 'failures' | 'passed'>): Trajectory[] {
  return [...failures.map(({ trajectory }) => trajectory), ...passed];
}
