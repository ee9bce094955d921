import { manualClock } from '../../base/clock.ts';
import { evidenceCritic } from '../../critic/evidence-critic.ts';
import { exactBounds } from '../../statistics/exact-bounds.ts';
import { isFailure, isSuccess } from '../../trajectory/is-success.ts';
import { USUAL_HABITS } from './actor/scripted-actor.ts';
import { type LabFailure, type LabGroup, labFailure, rollOutTask } from './collect-failures.ts';
import { labModel } from './lab-model.ts';
import { desk } from './scenarios/desk.ts';
import { testCauses } from './test-causes.ts';

export const RESAMPLING_SCHEMA = 'co-harness/lab-resampling@1';

export interface ResamplingOptions {
  /** Batches of failures, each of tasks of its own. */
  batches: number;
  /** Failures in a batch. */
  failures: number;
  /** Failures of a cause that are re-run. */
  cases: number;
  patches: number;
  samples: number;
  onProgress?: (text: string) => void;
}

export const QUICK_RESAMPLING: ResamplingOptions = {
  batches: 100,
  failures: 16,
  cases: 8,
  patches: 2,
  samples: 2,
};

/** Causes that were tested, and how many of them were confirmed; `upper95`: one-sided exact bound of the share. */
export interface ConfirmedCauses {
  against: 'placebo' | 'record';
  causes: number;
  confirmed: number;
  share: number | null;
  upper95: number;
}

export interface ResamplingReport {
  schema: typeof RESAMPLING_SCHEMA;
  failures: number;
  results: ConfirmedCauses[];
}

/** Half of this actor's replies go wrong by luck alone. */
const LUCKLESS = { ...USUAL_HABITS, slipRate: 0.5 };
const SAMPLING = { temperature: 0.7, topP: 1, topK: 0 };
const FIRST_TASK = 100_000;

/**
 * Failures of an intact harness that another sample would have avoided: every cause that is confirmed among them is a wrong one. Tested with the
 * placebo arm, and with the failures as they were in its place.
 */
export async function runResamplingSuite({
  onProgress = () => {},
  ...options
}: ResamplingOptions): Promise<ResamplingReport> {
  const model = labModel(desk, LUCKLESS);
  const batches: LabGroup[] = [];
  let next = FIRST_TASK;
  for (let batch = 0; batch < options.batches; batch++) {
    const failures: LabFailure[] = [];
    for (; failures.length < options.failures; next++) {
      const task = desk.task(next);
      const trajectory = await rollOutTask(desk, desk.harness, model, task, { seed: next, sampling: SAMPLING });
      if (!isFailure(trajectory)) continue;
      if (isSuccess(await rollOutTask(desk, desk.harness, model, task))) failures.push(labFailure(trajectory, task));
    }
    const truth = { label: 'agent_error', component: null } as const;
    batches.push({
      scenario: desk,
      mutation: null,
      truth,
      harness: desk.harness,
      failures,
      passed: [],
      tasks: 0,
      lost: 0,
    });
  }
  const results: ConfirmedCauses[] = [];
  for (const against of ['placebo', 'record'] as const) {
    onProgress(`testing causes against the ${against}`);
    results.push(await confirmedCauses(batches, { ...options, against, stage: { model, clock: manualClock() } }));
  }
  const failures = batches.reduce((sum, batch) => sum + batch.failures.length, 0);
  return { schema: RESAMPLING_SCHEMA, failures, results };
}

async function confirmedCauses(
  batches: readonly LabGroup[],
  options: Parameters<typeof testCauses>[2],
): Promise<ConfirmedCauses> {
  let causes = 0;
  let confirmed = 0;
  for (const batch of batches) {
    const trajectories = batch.failures.map(({ trajectory }) => trajectory);
    const tested = await testCauses(batch, await evidenceCritic.diagnose(trajectories, batch.harness), options);
    const decided = tested.filter(({ result }) => result !== null && result.verdict !== 'too-few');
    causes += decided.length;
    confirmed += decided.filter(({ result }) => result?.verdict === 'confirmed').length;
  }
  const share = causes === 0 ? null : confirmed / causes;
  return { against: options.against, causes, confirmed, share, upper95: exactBounds(confirmed, causes).upper };
}
