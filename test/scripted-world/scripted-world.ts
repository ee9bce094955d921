import { join } from 'node:path';
import { manualClock } from '../../src/base/clock.ts';
import { contentHash } from '../../src/base/content-hash.ts';
import type { Journal } from '../../src/base/journal.ts';
import { seedFrom } from '../../src/base/random.ts';
import { runConfigSchema } from '../../src/evolution/run-config.ts';
import type { RunObserver } from '../../src/evolution/run-event.ts';
import { executeRun, type PreparedRun, type RunEngines } from '../../src/evolution/start-run.ts';
import type { Harness } from '../../src/harness/harness.ts';
import { harnessFromFiles } from '../../src/harness/parse-harness.ts';
import type { GenerationRequest, ModelIdentity } from '../../src/model/model-backend.ts';
import { scriptedBackend } from '../../src/model/scripted-backend.ts';
import type { Proposer } from '../../src/patch/proposer.ts';
import { chooseVerifier } from '../../src/task/choose-verifier.ts';
import { type Task, taskHash } from '../../src/task/task.ts';

/**
 * A small world without a real model, for tests of the loop: sums of two numbers and an `adder` tool. The model never calls a tool until an
 * earlier assistant turn shows it how; then it writes the right call for a share of the tasks, a larger share with an adapter.
 */
const BASE: ModelIdentity = { base: contentHash('scripted base'), adapter: null };
const SKILL = { base: 0.45, adapted: 0.9 };

const WORDS =
  'apple river stone cloud tiger lamp chair bottle garden window pencil market forest bridge candle basket'.split(' ');

export function sumTasks(count: number): Task[] {
  return Array.from({ length: count }, (_, index) => {
    const word = (salt: string) => WORDS[seedFrom(index, salt) % WORDS.length];
    const [a, b] = [2 + (index % 89), 3 + ((index * 7) % 97)];
    const content = {
      problem: `${word('a')} ${word('b')} ${word('c')} ${word('d')} ${word('e')}: what do ${a} and ${b} make?`,
      answer: String(a + b),
    };
    return {
      id: `sum-${index}`,
      ...content,
      hash: taskHash(content),
      group: `group-${index}`,
      reference: { calls: [{ tool: 'calculator', arguments: { expression: `${a} + ${b}` } }], text: String(a + b) },
    };
  });
}

export function seedHarness(): Harness {
  return harnessFromFiles(
    new Map([
      ['harness.yaml', 'name: sums\nlimits: { turns: 3, tokensPerTurn: 200 }\n'],
      [
        'prompts/system.md',
        'Add numbers. Tools:\n{{tools}}\nCall a tool with JSON: {"name": "...", "arguments": {...}}\n',
      ],
      [
        'tools/calculator/tool.yaml',
        'name: calculator\ndescription: Evaluates an expression.\nparameters:\n  type: object\n  properties:\n    expression: { type: string }\n  required: [expression]\nbackend: { kind: builtin, name: calculator }\n',
      ],
    ]),
  );
}

/** What the scripted model says: depends on the rendered request and on the adapter alone. */
export function reply(request: Pick<GenerationRequest, 'messages' | 'sampling' | 'seed'>, adapted: boolean): string {
  const { messages } = request;
  const last = messages.at(-1)?.content ?? '';
  const numbers = /what do (\d+) and (\d+) make/.exec(last);
  if (numbers === null) return /-?\d+(?:\.\d+)?/.exec(last)?.[0] ?? 'I do not know.';
  const shown = messages.slice(0, -1).find((message) => message.role === 'assistant');
  if (shown === undefined) return 'That is easy.';
  const expression = `${numbers[1]} + ${numbers[2]}`;
  const luck = (seedFrom('luck', last, request.sampling.temperature === 0 ? 0 : request.seed) % 1000) / 1000;
  const right = luck < (adapted ? SKILL.adapted : SKILL.base);
  return shown.content.replace(/\d+ \+ \d+/, right ? expression : `${expression} + 1`);
}

export function scriptedEngines(): RunEngines {
  const open = (identity: ModelIdentity) =>
    scriptedBackend({ identity, concurrency: 1, reply: (request) => reply(request, identity.adapter !== null) });
  return {
    models: { base: BASE, open: async (identity) => open(identity), close: async () => {} },
    trainer: {
      train: async ({ dataset, onProgress }) => {
        onProgress({ step: 1, steps: 1, loss: 0.5, tokensPerSecond: 1, secondsLeft: 0 });
        return { adapter: contentHash({ trainedOn: dataset }), rows: 20, firstLoss: 1, lastLoss: 0.5, seconds: 1 };
      },
    },
  };
}

export function scriptedRun(overrides: Record<string, unknown> = {}): PreparedRun {
  const config = runConfigSchema.parse({
    name: 'sums',
    model: { source: 'file:scripted' },
    tasks: { path: 'none', gate: 80, test: 40 },
    verifier: { kind: 'numeric' },
    rounds: 2,
    iterations: 2,
    alignment: { minRows: 8 },
    sizes: {
      miningTasks: 24,
      candidates: 4,
      screeningTasks: 24,
      gateGroups: 80,
      sampleTasks: 20,
      samplesPerTask: 2,
      testTasks: 40,
    },
    ...overrides,
  });
  const harness = seedHarness();
  const tasks = sumTasks(280);
  const splits = { train: tasks.slice(0, 160), gate: tasks.slice(160, 240), test: tasks.slice(240) };
  const verifier = chooseVerifier(config.verifier, '.');
  return { config, harness, splits, verifier, identity: contentHash({ harness: harness.hash, overrides }) };
}

export async function executeScriptedRun(options: {
  folder: string;
  journal?: Journal;
  prepared?: PreparedRun;
  observers?: RunObserver[];
  engines?: RunEngines;
  proposer?: Proposer;
  signal?: AbortSignal;
}): Promise<void> {
  await executeRun({
    prepared: options.prepared ?? scriptedRun(),
    folder: options.folder,
    engines: options.engines ?? scriptedEngines(),
    observers: options.observers ?? [],
    signal: options.signal ?? new AbortController().signal,
    clock: manualClock(),
    ...(options.journal === undefined ? {} : { journal: options.journal }),
    ...(options.proposer === undefined ? {} : { proposer: options.proposer }),
  });
}

export function journalFile(folder: string): string {
  return join(folder, 'run.sqlite');
}
