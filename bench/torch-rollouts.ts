/**
 * Rollouts per second of the PyTorch engine against the llama.cpp engine: same prompts, same weights, one run, the two in turns, so that
 * whatever else the machine does meets both. Also how many greedy answers are the same text.
 *
 *     npx node bench/torch-rollouts.ts [--model FILE.gguf] [--llama-model FILE.gguf] [--prompts 64] [--turns 2] [--threads N]
 *         [--slots 96] [--sequences 16] [--tokens 40] [--samples 1] [--temperature 0] [--tasks FILE.jsonl] [--json]
 *
 * --llama-model: another quantisation of the same weights for llama.cpp. A task file has `problem`; without one it makes sums for itself.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { fileHash } from '../src/base/file-hash.ts';
import { readJsonLines } from '../src/base/json.ts';
import { openLlamaCppBackend } from '../src/model/llama-cpp-backend.ts';
import type { ChatMessage, Generation, GenerationRequest, ModelBackend } from '../src/model/model-backend.ts';
import { DEFAULT_MODEL_SOURCE, resolveModel } from '../src/model/model-source.ts';
import { openTorchBackend } from '../src/model/torch-backend.ts';
import { cacheFolder } from '../src/setup/cache-folder.ts';
import { ensurePython } from '../src/setup/python-environment.ts';

const { values: options } = parseArgs({
  options: {
    model: { type: 'string' },
    'llama-model': { type: 'string' },
    prompts: { type: 'string', default: '64' },
    turns: { type: 'string', default: '2' },
    threads: { type: 'string', default: '0' },
    slots: { type: 'string', default: '96' },
    sequences: { type: 'string', default: '16' },
    tokens: { type: 'string', default: '40' },
    samples: { type: 'string', default: '1' },
    temperature: { type: 'string', default: '0' },
    tasks: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const SYSTEM = `You solve arithmetic word problems. You have one tool:
{"name": "calculator", "description": "Evaluates an arithmetic expression", "parameters": {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}}
To call it, reply with JSON: {"name": "calculator", "arguments": {"expression": "..."}}`;
const EXAMPLES: readonly [string, string][] = [
  ['A baker had 24 rolls and sold 9 of them before noon. How many rolls were left at noon?', '24 - 9'],
  ['Each of the 6 boats on the lake carries 4 people. How many people are on the lake?', '6 * 4'],
  ['Nora shares 35 stickers equally among 7 friends. How many stickers does each friend get?', '35 / 7'],
  ['A train has 3 coaches with 18 seats each and 5 more seats at the bar. How many seats has it?', '3 * 18 + 5'],
];

function call(expression: string): string {
  return JSON.stringify({ name: 'calculator', arguments: { expression } });
}

function requestFor(problem: string, seed: number): GenerationRequest {
  const messages: ChatMessage[] = [
    { role: 'system', content: SYSTEM },
    ...EXAMPLES.flatMap(([user, expression]): ChatMessage[] => [
      { role: 'user', content: user },
      { role: 'assistant', content: call(expression) },
    ]),
    { role: 'user', content: problem },
  ];
  const sampling = { temperature: Number(options.temperature), topP: 1, topK: 0 };
  return { messages, sampling, seed, maxTokens: Number(options.tokens), stop: [] };
}

function madeProblem(index: number): string {
  const [a, b] = [12 + ((index * 7) % 41), 3 + ((index * 5) % 9)];
  const texts = [
    `A farmer has ${a} hens and buys ${b} more at the market. How many hens has he now?`,
    `There were ${a} birds on the roof and ${b} of them flew away when the bell rang. How many birds stayed?`,
    `Each of ${b} children brings ${a} marbles to the school yard. How many marbles are there in all?`,
    `Mia packs ${a * b} sweets into ${b} bags, the same number into each. How many sweets are in one bag?`,
  ];
  return texts[index % texts.length] as string;
}

async function problems(): Promise<string[]> {
  const count = Number(options.prompts);
  if (options.tasks === undefined) return Array.from({ length: count }, (_, index) => madeProblem(index));
  const rows = await readJsonLines(z.object({ problem: z.string() }), options.tasks);
  return rows.slice(500, 500 + count).map(({ problem }) => problem);
}

async function timed(backend: ModelBackend, requests: readonly GenerationRequest[]) {
  const started = performance.now();
  const generations = await Promise.all(requests.map((request) => backend.generate(request)));
  return { generations, seconds: (performance.now() - started) / 1000 };
}

const log = (line: string) => void process.stderr.write(`${line}\n`);
const path = options.model ?? (await resolveModel(DEFAULT_MODEL_SOURCE, { cacheFolder: cacheFolder(), log })).path;
const llamaPath = options['llama-model'] ?? path;
const threads = Number(options.threads) > 0 ? { threads: Number(options.threads) } : {};
const { python, environment } = await ensurePython({ log });
const base = { path, hash: await fileHash(path) };
const window = { windowTokens: 768 };
const engines: [string, ModelBackend][] = [
  ['torch', await openTorchBackend({ python, environment, base, slots: Number(options.slots), ...window, ...threads })],
  [
    'llama.cpp',
    await openLlamaCppBackend({
      modelPath: llamaPath,
      modelHash: await fileHash(llamaPath),
      sequences: Number(options.sequences),
      gpu: false,
      ...window,
      ...threads,
    }),
  ],
];
const requests = (await problems()).flatMap((problem) =>
  Array.from({ length: Number(options.samples) }, (_, sample) => requestFor(problem, sample)),
);

const seconds = new Map(engines.map(([name]) => [name, 0]));
const answers = new Map<string, Generation[]>();
for (let turn = 0; turn < Number(options.turns); turn++) {
  for (const [name, backend] of turn % 2 === 0 ? engines : engines.toReversed()) {
    // Every turn has a harness of its own, so that evaluating its prefix is part of what is measured, as it is for a new candidate.
    const own = requests.map((request) => ({
      ...request,
      messages: [{ role: 'system' as const, content: `${turn}. ${SYSTEM}` }, ...request.messages.slice(1)],
    }));
    const outcome = await timed(backend, own);
    seconds.set(name, (seconds.get(name) ?? 0) + outcome.seconds);
    answers.set(name, [...(answers.get(name) ?? []), ...outcome.generations]);
    log(`turn ${turn + 1}, ${name}: ${outcome.seconds.toFixed(1)} s`);
  }
}
for (const [, backend] of engines) await backend.close();

const arms = engines.map(([name]) => {
  const given = answers.get(name) ?? [];
  const spent = seconds.get(name) ?? Number.NaN;
  const completionTokens = given.reduce((sum, { usage }) => sum + usage.completionTokens, 0);
  return { name, rollouts: given.length, seconds: spent, perSecond: given.length / spent, completionTokens };
});
const [torch, llama] = engines.map(([name]) => answers.get(name) ?? []);
const equal = torch?.filter(({ text }, index) => text === llama?.[index]?.text).length ?? 0;
const ratio = (arms[0]?.perSecond ?? 0) / (arms[1]?.perSecond ?? 1);
const [load] = loadavg();
const outcome = { cpu: cpus()[0]?.model, cores: availableParallelism(), load, arms, ratio, equal, of: torch?.length };
if (options.json) process.stdout.write(`${JSON.stringify(outcome)}\n`);
else {
  for (const arm of arms) {
    process.stdout.write(
      `${arm.name.padEnd(10)} ${arm.perSecond.toFixed(2)} rollouts/s: ${arm.rollouts} in ${arm.seconds.toFixed(1)} s, ${arm.completionTokens} tokens\n`,
    );
  }
  process.stdout.write(
    `ratio ${ratio.toFixed(2)}; same text ${equal} of ${outcome.of}; ${outcome.cores} cores, load ${load?.toFixed(1)}\n`,
  );
}
