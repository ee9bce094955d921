import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import { totalTokens } from '../model/tokens-of.ts';
import type { Patch } from '../patch/patch.ts';
import type { Version } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { scoreOf } from '../trajectory/score-of.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { firstCauseOf, lacksScores, refuseOutage, withoutLoneFaults } from './outage.ts';
import { batchProgress, remember, rollOrders } from './roll-out.ts';
import type { RunContext } from './run-context.ts';

export interface ScreeningOrder {
  champion: Version;
  harness: Harness;
  candidates: readonly Patch[];
  round: number;
  iteration: number;
  /** Time for the whole screening. */
  seconds: number;
  /** What the champion reached on the tasks mined in this iteration. */
  mined: { correct: number; scored: number };
}

export interface Candidate {
  patch: Patch;
  harness: Harness;
  /** Score on each task so far, in task order; null where there is none. */
  scores: (number | null)[];
  /** Tokens of all these rollouts. */
  tokens: number;
}

export type Screened = Pick<Candidate, 'scores' | 'tokens'>;

/** A journal row (kind `dropped`): a candidate that alone got no scores in a heat, with the φ that it makes and the hash of the weights. */
export interface DroppedCandidate {
  title: string;
  why: string;
  seed: number;
  round: number;
  iteration: number;
  harness: ContentHash;
  weights: ContentHash;
}

/**
 * Each candidate on the same tasks and seeds. Returns those that go on, with their scores: one that lacks scores while the others on this engine have theirs is dropped, for
 * it would end the run wherever it is continued. The journal keeps that, so that a continued run drops it without another try. Throws CoHarnessError
 * `infrastructure` where its φ is not what the scores fail by.
 */
export async function runHeat(
  context: RunContext,
  order: ScreeningOrder,
  field: readonly Candidate[],
  tasks: readonly Task[],
): Promise<Candidate[]> {
  const left: Candidate[] = [];
  for (const candidate of field) {
    const dropped = await context.journal.get(dropKey(context, order, candidate, tasks));
    if (dropped === undefined) left.push(candidate);
    else tellDropped(context, order, dropped as DroppedCandidate);
  }
  const arms = left.map(({ harness }) => harness);
  const rolled = left.length === 0 ? [] : await roll(context, order, arms, tasks);
  const fit = new Set(await withoutMisfits(context, order, rolled, tasks));
  for (const [index, candidate] of left.entries()) {
    const rollouts = rolled[index] ?? [];
    if (fit.has(rollouts)) Object.assign(candidate, screenedOf(rollouts));
    else await drop(context, order, candidate, rollouts, tasks);
  }
  return left.filter((_, index) => fit.has(rolled[index] ?? []));
}

/** The champion on the tasks of a heat. */
export async function screenParent(
  context: RunContext,
  order: ScreeningOrder,
  tasks: readonly Task[],
): Promise<Screened> {
  const [rollouts = []] = await roll(context, order, [order.harness], tasks);
  refuseOutage(context, stepOf(order, 1, tasks), rollouts);
  return screenedOf(rollouts);
}

/** Where all arms lack scores, the champion on the same tasks tells whether it is the engine. */
async function withoutMisfits(
  context: RunContext,
  order: ScreeningOrder,
  rolled: readonly Trajectory[][],
  tasks: readonly Task[],
): Promise<Trajectory[][]> {
  const fit = withoutLoneFaults(context, rolled);
  if (fit.length < rolled.length || !lacksScores(context, rolled.flat())) return fit;
  const [champion = []] = await roll(context, order, [order.harness], tasks);
  if (lacksScores(context, champion)) refuseOutage(context, stepOf(order, rolled.length, tasks), rolled.flat());
  return withoutLoneFaults(context, [...rolled, champion]).filter((arm) => arm !== champion);
}

async function drop(
  context: RunContext,
  order: ScreeningOrder,
  candidate: Candidate,
  rollouts: readonly Trajectory[],
  tasks: readonly Task[],
): Promise<void> {
  const unscored = rollouts.filter((rollout) => scoreOf(rollout) === null).length;
  const why =
    `${unscored} of its ${rollouts.length} rollouts got no score, while others on the same engine did. First cause: ${firstCauseOf(rollouts)}. ` +
    'Nothing was counted against it.';
  const { round, iteration, champion } = order;
  const value: DroppedCandidate = {
    title: candidate.patch.title,
    why,
    seed: context.seed,
    round,
    iteration,
    harness: candidate.harness.hash,
    weights: contentHash(champion.pair.model),
  };
  await context.journal.put({ key: dropKey(context, order, candidate, tasks), kind: 'dropped', value });
  tellDropped(context, order, value);
}

function dropKey(
  { seed }: RunContext,
  { round, iteration }: ScreeningOrder,
  { harness }: Candidate,
  tasks: readonly Task[],
) {
  return contentHash({ step: 'dropped', seed, round, iteration, harness: harness.hash, tasks: tasks.length });
}

function tellDropped({ emit, seed }: RunContext, { round }: ScreeningOrder, { title, why }: DroppedCandidate): void {
  emit({ type: 'patch-refused', seed, round, title, reason: why });
}

/** However many got no score. */
async function roll(
  context: RunContext,
  order: ScreeningOrder,
  harnesses: readonly Harness[],
  tasks: readonly Task[],
): Promise<Trajectory[][]> {
  const arms = harnesses.map((harness) => ({
    harness,
    model: order.champion.pair.model,
    tasks,
    split: 'train' as const,
    repeats: 1,
    sampling: null,
    seedStream: `screening ${order.round} ${order.iteration}`,
  }));
  const progress = batchProgress(context, stepOf(order, harnesses.length, tasks), harnesses.length * tasks.length);
  const results = await rollOrders(context, arms, progress);
  remember(context, results.flat());
  return results;
}

function stepOf({ round }: ScreeningOrder, arms: number, tasks: readonly Task[]) {
  return { round, step: `screening ${arms} on ${tasks.length}` };
}

function screenedOf(rollouts: readonly Trajectory[]): Screened {
  return { scores: rollouts.map(scoreOf), tokens: totalTokens(rollouts.map(({ usage }) => usage)) };
}
