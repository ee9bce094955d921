import { wrapIndented } from '../base/wrap-text.ts';
import type { TaskSplits } from '../task/task.ts';
import { type GpuHours, gpuHours } from './gpu-hours.ts';
import { rolloutsAhead, type StepRollouts } from './rollouts-ahead.ts';
import type { RunConfig } from './run-config.ts';

export interface RunEstimate {
  /** Of one seed. */
  steps: StepRollouts[];
  seeds: number;
  /** All seeds, at most; null where a size is planned from the measured rate. */
  rollouts: number | null;
  /** Null without `estimate` in the config, or where the rollouts are not known. */
  hours: GpuHours | null;
}

/** What a run may cost at most, from its sizes and the assumptions in its config. Nothing is measured or started. Pure. */
export function estimateRun(config: RunConfig, splits: TaskSplits): RunEstimate {
  const groups = new Set(splits.gate.map(({ group }) => group)).size;
  const sizes = availableSizes(config.sizes, splits, groups);
  const steps = rolloutsAhead({ ...config, sizes }, splits.gate.length / Math.max(1, groups));
  const one = steps.reduce<number | null>(
    (sum, { rollouts }) => (sum === null || rollouts === null ? null : sum + rollouts),
    0,
  );
  const rollouts = one === null ? null : one * config.seeds;
  const assumed = config.estimate;
  const hours =
    rollouts === null || assumed === undefined
      ? null
      : gpuHours(assumed, {
          rollouts,
          trainingTokens: trainingTokens({ ...config, sizes }),
          mostSequences: config.model.sequences ?? Number.POSITIVE_INFINITY,
        });
  return { steps, seeds: config.seeds, rollouts, hours };
}

/** No step can take more than its split holds. */
function availableSizes(sizes: RunConfig['sizes'], { train, test }: TaskSplits, groups: number): RunConfig['sizes'] {
  const atMost = (size: number | null, available: number) => (size === null ? null : Math.min(size, available));
  return {
    ...sizes,
    miningTasks: atMost(sizes.miningTasks, train.length),
    screeningTasks: atMost(sizes.screeningTasks, train.length),
    gateGroups: atMost(sizes.gateGroups, groups),
    auditGroups: atMost(sizes.auditGroups, groups),
    sampleTasks: atMost(sizes.sampleTasks, train.length),
    testTasks: atMost(sizes.testTasks, test.length),
  };
}

/** Tokens that go through training, every pass counted, if each sampled task gives all the rows it may. */
function trainingTokens({ only, rounds, seeds, alignment, sizes, estimate }: RunConfig): number {
  if (only === 'harness' || estimate === undefined) return 0;
  const rows = (sizes.sampleTasks ?? 0) * Math.min(alignment.maxPerTask, sizes.samplesPerTask ?? alignment.maxPerTask);
  return seeds * rounds * rows * alignment.epochs * (estimate.promptTokens + estimate.completionTokens);
}

/** The estimate and what it stands on, within 80 columns. */
export function estimateLines(estimate: RunEstimate, config: RunConfig): string[] {
  const { steps, seeds, rollouts, hours } = estimate;
  const perSeed = seeds > 1 ? ` for each of ${seeds} seeds` : '';
  const known = steps.filter((step) => step.rollouts !== 0);
  return [
    `Estimate before anything is paid: rollouts at most${perSeed}`,
    ...known.flatMap(({ step, rollouts: count, formula }) =>
      entry(step, count === null ? formula : `${whole(count)} = ${formula}`),
    ),
    ...(known.some((step) => step.rollouts === null)
      ? entry('planned', 'from the rate that the first minute measures; fix sizes.* to know it before')
      : []),
    ...entry(
      'in all',
      rollouts === null
        ? `what budget.time allows (${Math.round(config.budget.time / 60)} min), the first phase at its least sizes whatever the time`
        : `${whole(rollouts)}; less where gates stop early and arms share rollouts`,
    ),
    ...(hours === null || config.estimate === undefined ? [] : hourLines(hours, config.estimate)),
  ];
}

function hourLines(hours: GpuHours, assumed: NonNullable<RunConfig['estimate']>): string[] {
  const { weights, machine } = assumed;
  const lines = entry(
    'tokens',
    `${millions(hours.promptTokens)} million read, ${millions(hours.completionTokens)} million generated`,
  );
  if (hours.tokensPerSecond === null) {
    const bytes = weights.billions * weights.bytesEach;
    return [
      ...lines,
      ...entry(
        'GPU hours',
        `none: weights of ${bytes.toFixed(1)} GB leave no room in ${machine.gpus} × ${machine.memoryGigabytes} GB`,
      ),
    ];
  }
  const parts = [hours.generating, hours.reading, hours.training].map((part) => part ?? 0);
  const total = parts.reduce((sum, part) => sum + part, 0);
  return [
    ...lines,
    ...entry(
      'GPU hours',
      `${total.toFixed(0)} = ${parts[0]?.toFixed(0)} generating + ${parts[1]?.toFixed(1)} reading + ${parts[2]?.toFixed(1)} training`,
    ),
    ...wrapIndented(
      `assumed, not measured: ${whole(assumed.promptTokens)} tokens read and ${whole(assumed.completionTokens)} generated a rollout (estimate.*); ` +
        `${weights.billions} billion weights of ${weights.bytesEach} bytes, ${weights.layers} layers × ${weights.keyValueHeads} key-value heads × ${weights.headSize}; ` +
        `${machine.gpus} GPU(s) with ${machine.memoryGigabytes} GB, ${whole(machine.bandwidthGigabytes)} GB/s and ${machine.teraflops} TFLOP/s, ` +
        `${Math.round(machine.efficiency * 100)}% of both reached.`,
      '  ',
    ),
    ...wrapIndented(
      `derived: ${hours.sequences} sequences at once (memory and model.sequences allow no more) generate ${whole(hours.tokensPerSecond)} tokens/s together: each step reads ` +
        'the weights once and every cache (roofline); training counts 6 operations a weight and token. Loading, waiting and tools are not in it.',
      '  ',
    ),
  ];
}

const NAME_WIDTH = 12;

/** A name and what is to be said of it, within 80 columns. */
function entry(name: string, text: string): string[] {
  const indent = `  ${name.padEnd(NAME_WIDTH)} `;
  return wrapIndented(text, indent, ' '.repeat(indent.length));
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function millions(tokens: number): string {
  return (tokens / 1e6).toFixed(tokens < 1e7 ? 1 : 0);
}
