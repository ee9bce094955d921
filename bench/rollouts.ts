/**
 * Rollouts per second of an engine with many sequences in flight, against one at a time, on the same prompts in the same run; and whether
 * the greedy answers stay the same. Wanted: ≥ 1.5× on 2 cores, answers equal in ≥ 95%, accuracies equal within the interval.
 *
 *     npx node bench/rollouts.ts --prompts 100 [--engine llama-cpp|torch] [--model FILE.gguf] [--tasks FILE.jsonl]
 *         [--sequences 16] [--threads N] [--tokens 32] [--json]
 *
 * Without --tasks it makes sums for itself. A task file has `problem` and a numeric `answer`.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { fileHash } from '../src/base/file-hash.ts';
import { readJsonLines } from '../src/base/json.ts';
import { seededRandom } from '../src/base/random.ts';
import { openLlamaCppBackend } from '../src/model/llama-cpp-backend.ts';
import type { ChatMessage, Generation, GenerationRequest, ModelBackend } from '../src/model/model-backend.ts';
import { DEFAULT_MODEL_SOURCE, resolveModel } from '../src/model/model-source.ts';
import { openTorchBackend } from '../src/model/torch-backend.ts';
import { cacheFolder } from '../src/setup/cache-folder.ts';
import { ensurePython } from '../src/setup/python-environment.ts';
import { wilsonInterval } from '../src/statistics/wilson.ts';

const { values: options } = parseArgs({
  options: {
    prompts: { type: 'string', default: '100' },
    engine: { type: 'string', default: 'llama-cpp' },
    model: { type: 'string' },
    tasks: { type: 'string' },
    sequences: { type: 'string', default: '16' },
    contexts: { type: 'string' },
    threads: { type: 'string', default: String(Math.max(1, Math.floor(availableParallelism()))) },
    tokens: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
});

interface Problem {
  problem: string;
  answer: number;
}

interface Arm {
  name: string;
  sequences: number;
  contexts?: number;
}

const INSTRUCTION =
  'You solve arithmetic word problems. Reply with one short sentence that ends with the number asked for, and with nothing else.';

/** Worked examples as earlier turns: a prefix of realistic length that all prompts share. */
const EXAMPLES: readonly [string, string][] = [
  ['Tom has 3 apples and buys 4 more. How many apples has he now?', 'He now has 7'],
  ['A box holds 6 pens. How many pens are in 2 boxes?', 'In all there are 12'],
  ['Ann had 9 coins and lost 5. How many coins are left?', 'There are left 4'],
  ['A rope of 10 metres is cut into 2 equal parts. How long is each part?', 'Each part has 5'],
];

const templates: readonly ((a: number, b: number) => Problem)[] = [
  (a, b) => ({ problem: `A farmer has ${a} hens and buys ${b} more. How many hens has he now?`, answer: a + b }),
  (a, b) => ({ problem: `There were ${a + b} birds on a roof and ${b} flew away. How many are left?`, answer: a }),
  (a, b) => ({ problem: `Each of ${a} children has ${b} marbles. How many marbles are there?`, answer: a * b }),
  (a, b) => ({ problem: `Mia shares ${a * b} sweets among ${a} friends. How many does each get?`, answer: b }),
];

function madeProblems(count: number): Problem[] {
  const random = seededRandom(20_26);
  const pick = () => 2 + random.below(9);
  return Array.from({ length: count }, (_, index) => {
    const template = templates[index % templates.length] as (typeof templates)[number];
    return template(pick(), pick());
  });
}

async function readProblems(file: string, count: number): Promise<Problem[]> {
  const schema = z.object({ problem: z.string(), answer: z.coerce.number() });
  return (await readJsonLines(schema, file)).slice(0, count);
}

function requestFor({ problem }: Problem): GenerationRequest {
  const messages: ChatMessage[] = [
    { role: 'system', content: INSTRUCTION },
    ...EXAMPLES.flatMap(([user, assistant]): ChatMessage[] => [
      { role: 'user', content: user },
      { role: 'assistant', content: assistant },
    ]),
    { role: 'user', content: problem },
  ];
  return {
    messages,
    sampling: { temperature: 0, topP: 1, topK: 0 },
    seed: 0,
    maxTokens: Number(options.tokens),
    stop: ['\n'],
  };
}

function isCorrect({ text }: Generation, { answer }: Problem): boolean {
  const numbers = text.replace(/(\d),(?=\d{3})/g, '$1').match(/-?\d+(\.\d+)?/g);
  return numbers !== null && Math.abs(Number(numbers.at(-1)) - answer) < 1e-6;
}

async function generateAll(backend: ModelBackend, problems: readonly Problem[], atOnce: number): Promise<Generation[]> {
  const generations: Generation[] = [];
  let next = 0;
  const work = async () => {
    while (next < problems.length) {
      const index = next++;
      generations[index] = await backend.generate(requestFor(problems[index] as Problem));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return generations;
}

async function openArm(arm: Arm, modelPath: string): Promise<ModelBackend> {
  const modelHash = await fileHash(modelPath);
  const threads = Number(options.threads);
  if (options.engine === 'torch') {
    const { python, environment } = await ensurePython({ log });
    const base = { path: modelPath, hash: modelHash };
    return openTorchBackend({ python, environment, base, windowTokens: 512, slots: arm.sequences });
  }
  const contexts = arm.contexts === undefined ? {} : { contexts: arm.contexts };
  return openLlamaCppBackend({
    modelPath,
    modelHash,
    windowTokens: 512,
    threads,
    sequences: arm.sequences,
    ...contexts,
  });
}

async function measure(arm: Arm, modelPath: string, problems: readonly Problem[]) {
  const backend = await openArm(arm, modelPath);
  // The first call also pays for reading the weights into memory.
  await backend.generate({
    ...requestFor({ problem: 'Hello', answer: 0 }),
    messages: [{ role: 'user', content: 'Hello' }],
    maxTokens: 2,
  });
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const generations = await generateAll(backend, problems, arm.sequences === 1 ? 1 : problems.length);
  const seconds = (performance.now() - started) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  await backend.close();
  const correct = generations.filter((generation, index) => isCorrect(generation, problems[index] as Problem)).length;
  const { low, high } = wilsonInterval(correct, problems.length);
  return {
    ...arm,
    generations,
    seconds,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    perSecond: problems.length / seconds,
    completionTokens: generations.reduce((sum, { usage }) => sum + usage.completionTokens, 0),
    correct,
    accuracy: correct / problems.length,
    low,
    high,
  };
}

const log = (line: string) => void process.stderr.write(`${line}\n`);
const modelPath = options.model ?? (await resolveModel(DEFAULT_MODEL_SOURCE, { cacheFolder: cacheFolder(), log })).path;
const count = Number(options.prompts);
const problems = options.tasks === undefined ? madeProblems(count) : await readProblems(options.tasks, count);
const single = await measure({ name: 'one at a time', sequences: 1, contexts: 1 }, modelPath, problems);
const batched = await measure(
  {
    name: `${options.sequences} in flight`,
    sequences: Number(options.sequences),
    ...(options.contexts === undefined ? {} : { contexts: Number(options.contexts) }),
  },
  modelPath,
  problems,
);
const equal = single.generations.filter(
  ({ completionTokenIds }, index) =>
    completionTokenIds?.join() === batched.generations[index]?.completionTokenIds?.join(),
).length;

const outcome = {
  prompts: problems.length,
  threads: Number(options.threads),
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  loadAverage: loadavg()[0],
  arms: [single, batched].map(({ generations: _, ...numbers }) => numbers),
  ratio: batched.perSecond / single.perSecond,
  cpuRatio: single.cpuSeconds / batched.cpuSeconds,
  equal,
  equalShare: equal / problems.length,
};
if (options.json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
else {
  process.stdout.write(
    `${outcome.prompts} prompts, ${outcome.threads} threads, ${outcome.cores} cores, load ${outcome.loadAverage?.toFixed(1)}\n`,
  );
  for (const arm of outcome.arms) {
    process.stdout.write(
      `${arm.name.padEnd(14)} ${arm.perSecond.toFixed(2)} rollouts/s (${arm.seconds.toFixed(1)} s, ${arm.cpuSeconds.toFixed(1)} s of CPU), ` +
        `${arm.completionTokens} tokens, ${arm.correct} of ${outcome.prompts} correct: ${percent(arm.accuracy)} (${percent(arm.low)}–${percent(arm.high)})\n`,
    );
  }
  process.stdout.write(
    `ratio ${outcome.ratio.toFixed(2)}× (CPU ${outcome.cpuRatio.toFixed(2)}×); equal greedy answers ${equal} of ${outcome.prompts} (${percent(outcome.equalShare)})\n`,
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
