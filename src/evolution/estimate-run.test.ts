import { describe, expect, it } from 'vitest';
import type { Task } from '../task/task.ts';
import { estimateLines, estimateRun } from './estimate-run.ts';
import { gpuHours } from './gpu-hours.ts';
import { leastConfig } from './run-config.fixture.ts';
import { configIdentity, type RunConfigInput } from './run-config.ts';

const sizes = {
  miningTasks: 10,
  candidates: 4,
  screeningTasks: 32,
  gateGroups: 20,
  auditGroups: 10,
  sampleTasks: 50,
  samplesPerTask: 4,
  testTasks: 30,
};
const estimate = {
  promptTokens: 1000,
  completionTokens: 2000,
  weights: { billions: 1, bytesEach: 2, layers: 10, keyValueHeads: 5, headSize: 100 },
  machine: { gpus: 2, memoryGigabytes: 10, bandwidthGigabytes: 1000, teraflops: 100, efficiency: 0.5 },
};
const configOf = (more: Partial<RunConfigInput> = {}) =>
  leastConfig({
    model: { source: 'openai:http://127.0.0.1:9/v1#m' },
    rounds: 2,
    iterations: 5,
    sizes,
    ...more,
  });
const tasks = (count: number, group = (index: number) => `g${index}`) =>
  Array.from({ length: count }, (_, index) => ({ group: group(index) })) as never as readonly Task[];
const splits = { train: tasks(500), gate: tasks(40), test: tasks(60) };
const rolloutsOf = (config: ReturnType<typeof configOf>, of = splits) =>
  Object.fromEntries(estimateRun(config, of).steps.map(({ step, rollouts }) => [step, rollouts]));

describe('estimateRun', () => {
  it('counts every step of the schedule at its most', () => {
    expect(rolloutsOf(configOf())).toEqual({
      failures: 10 * 10,
      // Four on 8, two of them and a saving on 16, one of them, one more for its rank and the parent on 32.
      screening: 10 * (4 * 8 + 3 * 8 + 3 * 16 + 32),
      gates: 12 * 2 * 20,
      // Twelve changes against two references; under the new weights five and ten diffs, and both pairs that are left of them.
      audits: (12 * 4 + 15 * 2 + 2 * 4) * 10,
      samples: 2 * 200,
      'sealed test': 7 * 30,
    });
  });

  it('leaves out the half that is not run', () => {
    expect(rolloutsOf(configOf({ only: 'harness' }))).toMatchObject({
      gates: 10 * 2 * 20,
      audits: 10 * 4 * 10,
      samples: 0,
    });
    expect(rolloutsOf(configOf({ only: 'weights' }))).toMatchObject({ failures: 0, screening: 0, gates: 2 * 2 * 20 });
  });

  it('counts the first heat of a screening whole, however few tasks are asked for', () => {
    const few = configOf({ sizes: { ...sizes, screeningTasks: 4 } });
    expect(rolloutsOf(few)).toMatchObject({ screening: 10 * (4 * 8 + 4) });
  });

  it('counts repeats of the sealed test', () => {
    expect(rolloutsOf(configOf({ sizes: { ...sizes, testRepeats: 16 } }))).toMatchObject({
      'sealed test': 7 * 30 * 16,
    });
  });

  it('asks no split for more than it holds', () => {
    const few = { train: tasks(7), gate: tasks(5), test: tasks(3) };
    expect(rolloutsOf(configOf(), few)).toMatchObject({
      failures: 70,
      gates: 12 * 2 * 5,
      samples: 2 * 7 * 4,
      'sealed test': 21,
    });
  });

  it('counts the tasks of a gate group, and all seeds', () => {
    const twins = tasks(40, (index) => `g${index >> 1}`);
    expect(
      estimateRun(configOf(), { ...splits, gate: twins }).steps.find(({ step }) => step === 'gates')?.rollouts,
    ).toBe(960);
    const one = estimateRun(configOf(), splits).rollouts as number;
    expect(estimateRun(configOf({ seeds: 3 }), splits).rollouts).toBe(3 * one);
  });

  it('says which sizes are only known once rates were measured, and estimates no hours then', () => {
    const config = configOf({ sizes: { ...sizes, gateGroups: null }, estimate });
    const result = estimateRun(config, splits);
    const formulas = result.steps.map(({ formula }) => formula).join('\n');
    expect(formulas).toContain('2 arms × planned tasks');
    expect(formulas).not.toContain('null');
    expect(result).toMatchObject({ rollouts: null, hours: null });
    const text = estimateLines(result, config).join('\n');
    expect(text).toMatch(/gates +\(10 diffs \+ 2 weight updates\) × 2 arms × planned\s+tasks/);
    expect(text.match(/from the rate that the first minute measures/g)).toHaveLength(1);
    expect(text).toMatch(/in all +what budget\.time allows \(\d+ min\)/);
  });

  it('prints every assumption beside the hours', () => {
    const config = configOf({ estimate });
    const lines = estimateLines(estimateRun(config, splits), config);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const text = lines.map((line) => line.trim()).join(' ');
    for (const part of [
      '1,000 tokens read',
      '2,000 generated',
      '1 billion weights',
      '2 GPU(s) with 10 GB',
      '50% of both',
      'not measured',
    ])
      expect(text).toContain(part);
  });
});

describe('gpuHours', () => {
  // 2 GB of weights, 20,000 bytes of cache a token, 2,000 tokens of mean context: 40 MB a sequence.
  const work = { rollouts: 1000, trainingTokens: 1e6, mostSequences: Number.POSITIVE_INFINITY };

  it('fills the memory that the weights leave with sequences and divides the bandwidth among them', () => {
    const hours = gpuHours(estimate, work);
    expect(hours.sequences).toBe(Math.floor((0.9 * 20e9 - 2e9) / 40e6));
    // One step reads 18 GB at 1 TB/s: 400 tokens in 18 ms.
    expect(hours.tokensPerSecond).toBeCloseTo(400 / 0.018, 0);
    expect(hours.generating).toBeCloseTo(((2e6 / (400 / 0.018)) * 2) / 3600, 5);
  });

  it('generates no more at once than is asked for', () => {
    expect(gpuHours(estimate, { ...work, mostSequences: 64 }).sequences).toBe(64);
  });

  it('counts reading and training by arithmetic', () => {
    const hours = gpuHours(estimate, work);
    expect(hours.reading).toBeCloseTo(((1e6 * 2 * 1e9) / 100e12 / 3600) * 2, 8);
    expect(hours.training).toBeCloseTo(((1e6 * 6 * 1e9) / 100e12 / 3600) * 2, 8);
  });

  it('gives no hours where the weights do not fit', () => {
    const large = { ...estimate, weights: { ...estimate.weights, billions: 12 } };
    expect(gpuHours(large, work)).toMatchObject({ sequences: 0, tokensPerSecond: null, generating: null });
    const config = configOf({ estimate: large });
    expect(estimateLines(estimateRun(config, splits), config).join(' ')).toMatch(/24\.0 GB leave no room in 2 × 10 GB/);
  });
});

describe('configIdentity', () => {
  it('keeps a run the same run when only its estimate or the date of its weights is corrected', () => {
    const dated = configOf({ estimate, model: { source: 'openai:http://127.0.0.1:9/v1#m', released: '2025-04' } });
    expect(configIdentity(dated, [])).toEqual(configIdentity(configOf(), []));
  });
});
