import { expect } from 'vitest';
import { manualClock } from '../base/clock.ts';
import { contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { GenerationRequest } from '../model/model-backend.ts';
import { type ScriptedOptions, type ScriptedReply, scriptedBackend } from '../model/scripted-backend.ts';
import type { Task } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { trajectorySchema } from '../trajectory/trajectory-schema.ts';
import type { RolloutJob } from './rollout-job.ts';
import { runRollout } from './run-rollout.ts';

/** A small world for tests of the loop: a calculator, a task whose answer is 42, a verifier that takes the last number. */
export const CALCULATOR = `parameters:
  type: object
  properties: { expression: { type: string } }
  required: [expression]
  additionalProperties: false
backend: { kind: builtin, name: calculator }
`;

export function callOf(tool: string, given: Record<string, unknown>): string {
  return JSON.stringify({ name: tool, arguments: given });
}

export const calculate = (expression: string) => callOf('calculator', { expression });

export function harnessWith(
  files: Readonly<Record<string, string>> = {},
  settings = 'limits: { turns: 6 }\n',
): Harness {
  const base = { 'harness.yaml': `name: demo\n${settings}`, 'tools/calculator/tool.yaml': CALCULATOR };
  return harnessFromFiles(new Map(Object.entries({ ...base, ...files })));
}

export const TASK: Task = { id: 't', problem: 'What is 6*7?', answer: '42', group: 'g', hash: contentHash('6*7') };

export const lastNumber: Verifier = {
  version: contentHash('last number'),
  verify: async ({ answer }, said) => {
    const extracted = said?.match(/-?\d+/g)?.at(-1) ?? null;
    return { kind: 'scored', score: extracted === answer ? 1 : 0, extracted, why: 'last number' };
  },
};

type Reply = string | ScriptedReply;

/** One rollout; `replies` in order whatever the requests are, or a function of the request. Checks that the record can be read back. */
export async function rollOut(
  harness: Harness,
  replies: readonly Reply[] | ((request: GenerationRequest) => Reply | Promise<Reply>),
  changes: Partial<RolloutJob> & { model?: never; windowTokens?: number; backend?: Partial<ScriptedOptions> } = {},
): Promise<Trajectory> {
  const left = typeof replies === 'function' ? [] : [...replies];
  const reply = typeof replies === 'function' ? replies : () => left.shift() ?? 'nothing left to say';
  const { windowTokens, backend, ...job } = changes;
  const trajectory = await runRollout({
    harness,
    model: scriptedBackend({ reply, ...(windowTokens === undefined ? {} : { windowTokens }), ...backend }),
    task: TASK,
    split: 'train',
    repeat: 0,
    seed: 5,
    verifier: lastNumber,
    sampling: null,
    clock: manualClock(),
    ...job,
  } as RolloutJob);
  expect(trajectorySchema.parse(JSON.parse(JSON.stringify(trajectory)))).toEqual(trajectory);
  return trajectory;
}
