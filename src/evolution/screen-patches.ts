import { CoHarnessError } from '../base/errors.ts';
import { points, signedPoints } from '../base/share-text.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { isBatchedOtherwise, isMereSaving } from '../patch/budget-changes.ts';
import { isDeletion } from '../patch/is-deletion.ts';
import type { Patch } from '../patch/patch.ts';
import { summarise } from '../statistics/summary.ts';
import type { Task } from '../task/task.ts';
import { objectionOfAudit } from './audit-references.ts';
import { drawTrainTasks } from './draw-tasks.ts';
import { bestHarnessGate } from './error-shares.ts';
import { expectedVariation, leastDiscordance } from './expected-variation.ts';
import { pairedGain } from './paired-gain.ts';
import type { RunContext } from './run-context.ts';
import { type Candidate, runHeat, type Screened, type ScreeningOrder, screenParent } from './screening-heat.ts';
import { planOnce, rolloutsFor } from './size-plan.ts';

/** Tasks of the first heat, which also measures what these candidates cost. */
const FIRST_HEAT = 8;

/**
 * Tasks that candidates have met after each heat, increasing: a quarter, a half and all of `longest`, none of them below the first heat. No half of the field
 * is given up without new tasks.
 */
export function screeningHeats(longest: number): number[] {
  return [...new Set([0.25, 0.5, 1].map((share) => Math.max(FIRST_HEAT, Math.ceil(longest * share))))];
}

/**
 * The candidate worth a gate, chosen on `train` by successive halving: all candidates on few tasks, the better half on twice as many, and so on
 * (Jamieson & Talwalkar 2016). Beside the better half the best of those goes on that the gate asks only to lose nothing, where it has tasks enough to show that: a
 * saving never wins by its score, and is taken where no other ends above the champion. Null when none is worth a gate. Choosing the best of many is optimistic,
 * which is why nothing decided here counts as evidence: the gate judges on its own tasks.
 */
export async function screenPatches(context: RunContext, order: ScreeningOrder): Promise<Patch | null> {
  const tasks = screeningTasks(context, order);
  const candidates: Candidate[] = order.candidates.map((patch) => ({
    patch,
    harness: applyEdits(order.harness, patch.edits),
    scores: [],
    tokens: 0,
  }));
  let field = await runHeat(context, order, candidates, tasks.slice(0, FIRST_HEAT));
  if (field.length === 0) return null;
  const { screeningTasks: longest } = await planScreening(context, order, tasks.length);
  const isHoldWorthIt = await couldBeShownToHold(context, leastDiscordance(longest));
  const heats = screeningHeats(longest);
  for (const size of heats) {
    if (size > FIRST_HEAT) field = await runHeat(context, order, field, tasks.slice(0, size));
    if (field.length === 0) return null;
    const ranked = [...field].sort((a, b) => meanScore(b) - meanScore(a));
    const first = ranked.slice(0, size === heats.at(-1) ? 1 : Math.ceil(field.length / 2));
    field = isHoldWorthIt ? withHolder(order.harness, first, ranked) : first;
    report(context, order, ranked, size, field);
  }
  return worthGating(context, order, field, tasks.slice(0, longest));
}

/** The first of a ranking, and its best saving or deletion where they hold none. */
function withHolder(parent: Harness, first: readonly Candidate[], ranked: readonly Candidate[]): Candidate[] {
  const isHeld = first.some((candidate) => needsOnlyHold(parent, candidate));
  const holder = isHeld ? undefined : ranked.find((candidate) => needsOnlyHold(parent, candidate));
  return holder === undefined ? [...first] : [...first, holder];
}

/** Seeded train tasks that no candidate shows as an example. */
function screeningTasks(context: RunContext, { harness, candidates, round, iteration }: ScreeningOrder): Task[] {
  const shown = new Set(candidates.flatMap((patch) => patch.usesTasks));
  return drawTrainTasks(context, harness, `screening ${round} ${iteration}`, context.splits.train.length).filter(
    (task) => !shown.has(task.hash),
  );
}

/** Tasks of the last heat, from what the first heat showed a rollout to cost. The three heats cost about 7/8 K of it. */
function planScreening(
  context: RunContext,
  { round, iteration, seconds, candidates }: ScreeningOrder,
  available: number,
) {
  const fixed = context.config.sizes.screeningTasks;
  return planOnce(context, { phase: 'screening', round, iteration }, () => {
    const most = Math.min(MOST_SCREENING_TASKS, available);
    const affordable =
      rolloutsFor(context, seconds, 1, Number.MAX_SAFE_INTEGER) / Math.max(1, candidates.length * 0.875);
    const planned = fixed ?? Math.max(2 * FIRST_HEAT, Math.min(most, Math.floor(affordable)));
    return { screeningTasks: Math.min(planned, available) };
  });
}

const MOST_SCREENING_TASKS = 160;

/**
 * The first candidate that ended above the champion by more than the noise of this comparison (one standard error of the paired difference): every gate
 * spends error that later ones lack. The champion runs on the same tasks unless the mined ones settle it already. A deletion or saving may also tie, where
 * the gate could show that it loses nothing, and the audit after it that it does not add up with others to more than the margin.
 */
async function worthGating(
  context: RunContext,
  order: ScreeningOrder,
  field: readonly Candidate[],
  tasks: readonly Task[],
): Promise<Patch | null> {
  const [best] = field as [Candidate, ...Candidate[]];
  const { correct, scored } = order.mined;
  const mined = (correct + 1) / (scored + 2);
  const spread = Math.sqrt((mined * (1 - mined)) / scored + (meanScore(best) * (1 - meanScore(best))) / tasks.length);
  if (meanScore(best) - mined > 2 * spread) return best.patch;
  const parent = await screenParent(context, order, tasks);
  for (const candidate of field) {
    const { gain, error } = pairedGain(parent.scores, candidate.scores);
    if (gain > error) return candidate.patch;
    if (gain < 0 || !takesLess(order.harness, parent, candidate)) continue;
    const childArm = { harness: candidate.harness, pair: { ...order.champion.pair, harness: candidate.harness.hash } };
    const { discordance } = expectedVariation(context, order.champion, childArm);
    if (!(await couldBeShownToHold(context, discordance))) continue;
    const objection = await objectionOfAudit(context, order.champion, childArm);
    if (objection === null) return candidate.patch;
    tell(context, order, `"${candidate.patch.title}" would have to improve: ${objection}`);
  }
  const { gain, error, tasks: compared } = pairedGain(parent.scores, best.scores);
  const detail = `no candidate above the parent by more than noise (best ${signedPoints(gain)} ± ${points(error)} on ${compared} train tasks)`;
  tell(context, order, detail);
  return null;
}

function tell({ emit, seed }: RunContext, { round }: ScreeningOrder, detail: string): void {
  emit({ type: 'step-finished', seed, round, step: 'screening', detail });
}

/** Whether a candidate that need only hold does leave less, cost fewer tokens, or change what only the time of whole batches shows. */
function takesLess(parent: Harness, { tokens }: Screened, { patch, harness, tokens: own }: Candidate): boolean {
  if (isDeletion(patch)) return true;
  return isMereSaving(patch, parent, harness) && (own < tokens || isBatchedOtherwise(parent, harness));
}

/** Whether a gate over all gate tasks could show that nothing is lost. */
async function couldBeShownToHold(context: RunContext, discordance: number): Promise<boolean> {
  try {
    const { affordableDeletionMargin, margin } = await bestHarnessGate(context, discordance);
    return affordableDeletionMargin <= margin;
  } catch (error) {
    if (CoHarnessError.isInstance(error, 'too-few-groups')) return false;
    throw error;
  }
}

/** Mean score so far, 0 where nothing was scored: such a candidate has shown nothing to go on with. */
function meanScore({ scores }: Candidate): number {
  return summarise(scores).mean ?? 0;
}

/** Whether the gate asks a candidate only not to be worse: it takes something away, or saves without curing a failure. */
function needsOnlyHold(parent: Harness, { patch, harness }: Candidate): boolean {
  return isDeletion(patch) || isMereSaving(patch, parent, harness);
}

function report(
  context: RunContext,
  order: ScreeningOrder,
  field: readonly Candidate[],
  tasks: number,
  survivors: readonly Candidate[],
): void {
  field.forEach((candidate) => {
    context.emit({
      type: 'candidate-screened',
      seed: context.seed,
      round: order.round,
      title: candidate.patch.title,
      correct: Math.round(meanScore(candidate) * tasks),
      tasks,
      kept: survivors.includes(candidate),
    });
  });
}
