/**
 * Speed of our own loop: turns per second with a model that answers at once, on one core, and heap growth over the run.
 * `npx node bench/agent-loop.ts [TURNS] [full]` (default 60 000). `full`: all built-in middleware, notes and retrieval on. Wanted: ≥ 3,000 turns/s, memory flat.
 */
import { systemClock } from '../src/base/clock.ts';
import { contentHash } from '../src/base/content-hash.ts';
import { MIDDLEWARE_KINDS } from '../src/harness/middleware-kinds.ts';
import { harnessFromFiles } from '../src/harness/parse-harness.ts';
import type { ModelBackend } from '../src/model/model-backend.ts';
import { runRollout } from '../src/rollout/run-rollout.ts';
import type { Verifier } from '../src/task/verifier.ts';

const TURNS_PER_ROLLOUT = 4;
const turns = Number(process.argv[2] ?? 60_000);

/** Every built-in kind; the loop breaker lets the bench's repeated call pass. */
const FULL: [string, string][] =
  process.argv[3] !== 'full'
    ? []
    : [
        ...MIDDLEWARE_KINDS.filter((kind) => kind !== 'js').map((kind, index): [string, string] => [
          `middleware/${10 + index}-${kind}.yaml`,
          kind === 'loop-breaker' ? 'kind: loop-breaker\noptions: { runs: 9 }\n' : `kind: ${kind}\n`,
        ]),
        ['memory.yaml', 'notes: { tokens: 50 }\nretrieval: { passages: 2 }\nhistoryTokens: 120\n'],
      ];

const harness = harnessFromFiles(
  new Map([
    ['harness.yaml', `name: bench\nlimits: { turns: ${TURNS_PER_ROLLOUT} }\n`],
    ['prompts/system.md', 'Solve the problem. Tools:\n{{tools}}\n'],
    [
      'tools/calculator/tool.yaml',
      'parameters: { type: object, properties: { expression: { type: string } }, required: [expression] }\nbackend: { kind: builtin, name: calculator }\n',
    ],
    ...FULL,
  ]),
);
const reply = 'First {"name": "calculator", "arguments": {"expression": "(12 + 30) * 2 / 7"}} and then the rest.';
const model: ModelBackend = {
  identity: { base: contentHash('bench'), adapter: null },
  tokenIds: 'none',
  windowTokens: 8_192,
  concurrency: 1,
  generate: async ({ messages }) => ({
    text: process.argv[3] === 'full' || messages.length < 2 * TURNS_PER_ROLLOUT ? reply : 'It is 12.',
    finishReason: 'end',
    usage: { promptTokens: 100, completionTokens: 30 },
  }),
  close: async () => {},
};
const verifier: Verifier = {
  version: contentHash('bench'),
  verify: async (_task, answer) => ({
    kind: 'scored',
    score: answer === 'It is 12.' || process.argv[3] === 'full' ? 1 : 0,
    extracted: answer,
    why: '',
  }),
};

async function rollOut(repeat: number): Promise<void> {
  const task = { id: 'bench', problem: 'How much is it?', answer: '12', group: 'bench', hash: contentHash('bench') };
  const fixed = {
    harness,
    model,
    task,
    verifier,
    split: 'train',
    sampling: null,
    seed: 1,
    clock: systemClock,
  } as const;
  const { outcome } = await runRollout({ ...fixed, repeat });
  if (outcome.kind !== 'scored' || outcome.score !== 1) throw new Error(`unexpected outcome: ${outcome.why}`);
}

const rollouts = Math.ceil(turns / TURNS_PER_ROLLOUT);
const warmUp = Math.min(500, rollouts);
for (let repeat = 0; repeat < warmUp; repeat++) await rollOut(repeat);
// With --expose-gc the heap is what is held, without it includes what waits to be collected.
globalThis.gc?.();
const heapBefore = process.memoryUsage().heapUsed;
const startMs = systemClock.now();
const startCpu = process.cpuUsage();
for (let repeat = 0; repeat < rollouts; repeat++) await rollOut(repeat);
const seconds = (systemClock.now() - startMs) / 1000;
const cpu = process.cpuUsage(startCpu);
const cpuSeconds = (cpu.user + cpu.system) / 1e6;
globalThis.gc?.();
const done = rollouts * TURNS_PER_ROLLOUT;
const report = {
  turns: done,
  turnsPerSecond: Math.round(done / seconds),
  turnsPerCpuSecond: Math.round(done / cpuSeconds),
  heapGrowthMegabytes: Math.round((process.memoryUsage().heapUsed - heapBefore) / 1e5) / 10,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
