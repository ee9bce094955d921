import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import type { Patch } from '../patch/patch.ts';
import type { Version } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { drawTrainTasks } from './draw-tasks.ts';
import { remember, rollOut, scoreOf } from './roll-out.ts';
import type { RunContext } from './run-context.ts';

export interface ScreeningOrder {
  champion: Version;
  harness: Harness;
  candidates: readonly Patch[];
  round: number;
  iteration: number;
  /** Train tasks of the last, longest heat. */
  tasks: number;
}

/**
 * The candidate worth a gate, chosen on `train` by successive halving: all candidates on a quarter of the tasks, the better half on twice as many,
 * and so on (Jamieson & Talwalkar 2016). The champion runs along; null when no candidate ends above it. Choosing the best of many is
 * optimistic, which is why nothing decided here counts as evidence: the gate judges on its own tasks.
 */
export async function screenPatches(context: RunContext, order: ScreeningOrder): Promise<Patch | null> {
  const { harness, candidates, round, iteration } = order;
  const children = candidates.map((patch) => ({ patch, harness: applyEdits(harness, patch.edits), mean: 0 }));
  const shown = new Set(children.flatMap((child) => child.patch.usesTasks));
  const tasks = drawTrainTasks(context, harness, `screening ${round} ${iteration}`, context.splits.train.length)
    .filter((task) => !shown.has(task.hash))
    .slice(0, order.tasks);
  let field = children;
  for (let size = Math.max(8, Math.ceil(tasks.length / 4)); field.length > 0; size = Math.min(tasks.length, size * 2)) {
    const heat = tasks.slice(0, size);
    const means = await screen(
      context,
      order,
      field.map((child) => child.harness),
      heat,
    );
    field.forEach((child, index) => {
      child.mean = means[index] ?? 0;
    });
    field = [...field].sort((a, b) => b.mean - a.mean);
    const survivors = Math.ceil(field.length / 2);
    report(context, order, field, heat.length, size >= tasks.length ? 1 : survivors);
    if (size >= tasks.length) break;
    field = field.slice(0, survivors);
  }
  const best = field[0];
  if (best === undefined) return null;
  const [parentMean = 0] = await screen(context, order, [harness], tasks);
  const relaxed = best.patch.relaxes.length > 0;
  if (best.mean > parentMean || (!relaxed && isCheaper(best.patch) && best.mean === parentMean)) return best.patch;
  context.emit({
    type: 'step-finished',
    seed: context.seed,
    round,
    step: 'screening',
    detail: `no candidate above the parent (${percent(best.mean)} against ${percent(parentMean)} on ${tasks.length} train tasks)`,
  });
  return null;
}

function isCheaper(patch: Patch): boolean {
  return patch.edits.every((edit) => edit.value === undefined);
}

/** Mean score of each harness on the same tasks and seeds. */
async function screen(
  context: RunContext,
  order: ScreeningOrder,
  harnesses: readonly Harness[],
  tasks: readonly Task[],
): Promise<number[]> {
  const arms = harnesses.map((harness) => ({
    harness,
    model: order.champion.pair.model,
    tasks,
    split: 'train' as const,
    repeats: 1,
    sampling: null,
    seedStream: `screening ${order.round} ${order.iteration}`,
  }));
  const results = await rollOut(
    context,
    { round: order.round, step: `screening ${harnesses.length} on ${tasks.length}` },
    arms,
  );
  remember(context, results.flat());
  return results.map((trajectories) => scoreOf(trajectories).mean ?? 0);
}

function report(
  context: RunContext,
  order: ScreeningOrder,
  field: readonly { patch: Patch; mean: number }[],
  tasks: number,
  survivors: number,
): void {
  field.forEach(({ patch, mean }, rank) => {
    context.emit({
      type: 'candidate-screened',
      seed: context.seed,
      round: order.round,
      title: patch.title,
      correct: Math.round(mean * tasks),
      tasks,
      kept: rank < survivors,
    });
  });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
