import type { RunConfigInput } from '../../src/index.ts';
import { mapRow } from './map-row.ts';

type Served = Pick<NonNullable<RunConfigInput['estimate']>, 'weights'> & { name: string; gpus: number };

/** Of one H100 SXM, from its data sheet: GB, GB/s, dense 16-bit TFLOP/s. */
const H100 = { memoryGigabytes: 80, bandwidthGigabytes: 3350, teraflops: 989 };

/**
 * The paper's schedule for a model behind vLLM: two rounds of five critic iterations, then SFT. Sizes are ours (the paper gives none); they are fixed, so that the
 * cost can be said before. The numbers of tokens are assumptions: measure some rollouts with `eval` and correct them.
 */
export function paperSchedule({ name, weights, gpus }: Served): RunConfigInput {
  return {
    name: `tool-integrated-maths-${name.toLowerCase()}`,
    harness: 'harness-qwen3',
    model: {
      source: `openai:http://127.0.0.1:8000/v1#Qwen/${name}`,
      released: '2025-04',
      windowTokens: 32_768,
      sequences: 64,
    },
    tasks: { files: { train: 'data/math-train.jsonl', test: 'data/test.jsonl' }, mapRow, gate: 400, train: 4000 },
    verifier: { kind: 'answer', extraction: 'stated' },
    rounds: 2,
    iterations: 5,
    sizes: {
      miningTasks: 64,
      candidates: 6,
      screeningTasks: 48,
      gateGroups: 160,
      auditGroups: 80,
      sampleTasks: 600,
      samplesPerTask: 4,
      testTasks: 90,
      testRepeats: 4,
    },
    alignment: { temperature: 0.6, topP: 0.95, maxPerTask: 2, minRows: 64, learningRate: 1e-4, epochs: 1 },
    budget: { time: '240h' },
    estimate: {
      promptTokens: 2_500,
      completionTokens: 9_000,
      weights,
      machine: { ...H100, gpus, efficiency: 0.5 },
    },
  };
}
