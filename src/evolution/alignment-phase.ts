import { join } from 'node:path';
import { selectTrainingRows } from '../alignment/select-training-rows.ts';
import { writeTrainingDataset } from '../alignment/training-dataset.ts';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import { seedFrom } from '../base/random.ts';
import type { Harness } from '../harness/harness.ts';
import type { TrainingRecord, Version } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { auditChange, auditDiffs } from './audit-change.ts';
import { drawTrainTasks } from './draw-tasks.ts';
import { gateWeights } from './gate-pair.ts';
import { secondsPerRollout } from './pair-rates.ts';
import { countCorrect, remember, rollOut } from './roll-out.ts';
import type { RunContext } from './run-context.ts';
import { phaseSeconds, planOnce, rolloutsFor } from './size-plan.ts';

/** Shares of the phase's time: rollouts for D_t, training, gate. */
const SAMPLING_SHARE = 0.45;
const TRAINING_SHARE = 0.35;
const GATE_SHARE = 0.2;

/** Samples of one task where the size is planned: different tasks teach more than the same one again, so more only where tasks are few. */
const MOST_SAMPLES = 8;

/** Tasks sampled first: where hardly any is solved, the rest would be paid for nothing. */
const TRIAL_TASKS = 32;

/**
 * Model alignment loop of one round (method §2 B): φ*_t stays; θ_t is fine-tuned on its own verified successes under exactly this φ, and the
 * new weights pass the same gate as a diff. What the harness loop rolled out under this very pair counts too: its provenance matches. Too few
 * successes: the weights stay, and the run says so.
 */
export async function alignModel(context: RunContext, champion: Version, round: number): Promise<Version> {
  context.emit({
    type: 'phase-started',
    seed: context.seed,
    round,
    phase: 'weights',
    detail: `from v${champion.version}`,
  });
  const harness = await context.registry.harness(champion.pair.harness);
  const sizes = await planAlignment(context, champion, harness, round);
  if (sizes.sampleTasks === 0) return champion;
  const samples = await sampleSuccesses(context, champion, harness, round, sizes);
  const selection = selectTrainingRows([...context.trainHistory.values()], {
    harness,
    model: champion.pair.model,
    verifier: context.verifier.version,
    maxPerTask: context.config.alignment.maxPerTask,
    maxRows: sizes.rowPasses,
  });
  if (selection.rows.length < context.config.alignment.minRows) {
    const text =
      `Round ${round}: only ${selection.rows.length} training rows (at least ` +
      `${context.config.alignment.minRows} are needed): the weights stay as they are.`;
    context.emit({ type: 'notice', seed: context.seed, round, text });
    return champion;
  }
  const dataset = await writeTrainingDataset(join(context.folder, 'datasets'), selection);
  const epochs = epochsFor(selection.rows.length, sizes.rowPasses, context.config.alignment.epochs);
  const { adapter, record } = await train(context, champion, round, { ...dataset, epochs }, samples, selection);
  const updated = await gateWeights(context, {
    champion,
    harness,
    adapter,
    record,
    round,
    seconds: sizes.seconds * GATE_SHARE,
  });
  if (updated.version === champion.version) return champion;
  const kept = await auditChange(context, updated, round);
  return kept.version === updated.version ? auditDiffs(context, updated, round) : kept;
}

/** Passes over the rows that the planned time allows: new rows teach more than the same ones again, so they come first. */
function epochsFor(rows: number, rowPasses: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(rowPasses / rows)));
}

async function planAlignment(context: RunContext, champion: Version, harness: Harness, round: number) {
  const { sizes, alignment } = context.config;
  const plan = await planOnce(context, { phase: 'weights', round }, () => {
    const seconds = phaseSeconds(context, round, 'weights');
    const open = drawTrainTasks(context, harness, 'count', context.splits.train.length).length;
    const most = open * (sizes.samplesPerTask ?? MOST_SAMPLES);
    const each = secondsPerRollout(context, harness, champion.pair.model);
    const rollouts = rolloutsFor(context, seconds * SAMPLING_SHARE, FEWEST_SAMPLES, most, each);
    const samplesPerTask = sizes.samplesPerTask ?? Math.max(FEWEST_PER_TASK, Math.ceil(rollouts / open));
    return {
      samplesPerTask,
      sampleTasks: isTooShort(context, round, { seconds, each })
        ? 0
        : (sizes.sampleTasks ?? Math.min(open, Math.max(1, Math.floor(rollouts / samplesPerTask)))),
      rowPasses: Math.max(
        alignment.minRows,
        Math.floor((seconds * TRAINING_SHARE) / context.throughput.secondsPerTrainingRow),
      ),
      seconds: Math.round(seconds),
    };
  });
  const line =
    plan.sampleTasks === 0
      ? `no training: about ${plan.seconds} s are left for it, which is too little`
      : `${plan.sampleTasks} train tasks × ${plan.samplesPerTask} samples at temperature ${alignment.temperature}, ` +
        `${plan.rowPasses} training rows, or fewer up to ${alignment.epochs} times`;
  context.emit({ type: 'plan-made', seed: context.seed, round, phase: 'weights', lines: [line] });
  return plan;
}

const FEWEST_SAMPLES = 64;

/** With one sample nobody could tell a hard task from an easy one. */
const FEWEST_PER_TASK = 2;

/** Rollouts of the smallest phase: samples, and both arms of its gate at half its least size, where most have stopped. */
const FEWEST_ROLLOUTS = FEWEST_SAMPLES + 240;

/** Whether the phase would outlast the run's time by much. The first one takes what it needs. */
function isTooShort(
  { throughput, config }: RunContext,
  round: number,
  { seconds, each }: { seconds: number; each: number },
): boolean {
  const training = config.alignment.minRows * throughput.secondsPerTrainingRow;
  return round > 1 && seconds < FEWEST_ROLLOUTS * each + training;
}

async function sampleSuccesses(
  context: RunContext,
  champion: Version,
  harness: Harness,
  round: number,
  { sampleTasks: count, samplesPerTask }: { sampleTasks: number; samplesPerTask: number },
): Promise<Trajectory[]> {
  const { temperature, topP } = context.config.alignment;
  const tasks = drawTrainTasks(context, harness, `data ${round}`, count);
  const sample = async (some: readonly Task[], step: string) => {
    const [sampled = []] = await rollOut(context, { round, step }, [
      {
        harness,
        model: champion.pair.model,
        tasks: some,
        split: 'train',
        repeats: samplesPerTask,
        sampling: { ...harness.settings.sampling, temperature, topP },
        seedStream: `data ${round}`,
      },
    ]);
    return sampled;
  };
  const trial = await sample(tasks.slice(0, TRIAL_TASKS), 'trying a few tasks');
  const promising =
    (trial.filter(isSuccess).length + 1) / trial.length >= context.config.alignment.minRows / (count * samplesPerTask);
  const trajectories = promising ? await sample(tasks, 'sampling for D_t') : trial;
  remember(context, trajectories);
  const { correct, scored } = countCorrect(trajectories);
  const solved = new Set(trajectories.filter(isSuccess).map((trajectory) => trajectory.identity.task)).size;
  const detail = `${correct} of ${scored} samples verified, ${solved} of ${count} tasks solved at least once`;
  context.emit({ type: 'step-finished', seed: context.seed, round, step: 'sampling for D_t', detail });
  return trajectories;
}

async function train(
  context: RunContext,
  champion: Version,
  round: number,
  dataset: { hash: ContentHash; folder: string; epochs: number },
  samples: readonly Trajectory[],
  selection: { rows: readonly { task: string }[] },
): Promise<{ adapter: ContentHash; record: TrainingRecord }> {
  const initial = context.config.alignment.from === 'adapter' ? champion.pair.model.adapter : null;
  const seed = seedFrom(context.seed, 'training', round);
  const key = contentHash({
    step: 'training',
    dataset: dataset.hash,
    epochs: dataset.epochs,
    initial,
    seed,
    settings: context.config.alignment,
  });
  return once(context.journal, 'training', key, async () => {
    const trained = await context.trainer.train({
      dataset: dataset.hash,
      datasetFolder: dataset.folder,
      epochs: dataset.epochs,
      initial,
      seed,
      signal: context.signal,
      onProgress: (progress) => context.emit({ type: 'training-progress', seed: context.seed, round, ...progress }),
    });
    const { verified, total } = { verified: samples.filter(isSuccess).length, total: samples.length };
    const record: TrainingRecord = {
      dataset: dataset.hash,
      rows: trained.rows,
      tasks: new Set(selection.rows.map((row) => row.task)).size,
      samples: total,
      verifiedShare: verified / Math.max(1, total),
      firstLoss: trained.firstLoss,
      lastLoss: trained.lastLoss,
      seconds: trained.seconds,
      tokenIds: 'exact',
    };
    context.throughput.secondsPerTrainingRow = trained.seconds / (trained.rows * dataset.epochs);
    return { adapter: trained.adapter, record };
  });
}
