import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { fileHash } from '../base/file-hash.ts';
import { describeBackendContract } from './backend-contract.suite.ts';
import type { GenerationRequest, ModelBackend } from './model-backend.ts';
import { ProviderError } from './provider-error.ts';
import { openTorchBackend, type TorchOptions } from './torch-backend.ts';
import { startTorchProcess } from './torch-backend-process.ts';

const cache = process.env.CO_HARNESS_CACHE ?? join(homedir(), '.cache', 'co-harness');
const modelPath =
  process.env.CO_HARNESS_TEST_MODEL || firstIn(join(cache, 'models'), (file) => /smollm2.*\.gguf$/i.test(file));
const python =
  process.env.CO_HARNESS_PYTHON ||
  firstIn(cache, (file) => /^python-[0-9a-f]+[/\\](bin[/\\]python|Scripts[/\\]python\.exe)$/.test(file));
const missing = modelPath === undefined ? 'no model file' : python === undefined ? 'no Python environment' : undefined;
/** Loading PyTorch and a model, on a machine that may be busy. */
const SLOW = 240_000;
vi.setConfig({ hookTimeout: SLOW });

function firstIn(folder: string, isWanted: (file: string) => boolean): string | undefined {
  if (!existsSync(folder)) return undefined;
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(isWanted);
  return found === undefined ? undefined : join(folder, found);
}

async function open(changes: Partial<TorchOptions> = {}): Promise<ModelBackend> {
  const path = modelPath as string;
  return openTorchBackend({
    python: python as string,
    environment: { ...process.env, PYTHONPATH: fileURLToPath(new URL('../../trainer', import.meta.url)) },
    base: { path, hash: await fileHash(path) },
    slots: 8,
    windowTokens: 512,
    ...changes,
  });
}

function ask(content: string, changes: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages = [{ role: 'user' as const, content }];
  return { messages, sampling: { temperature: 0, topP: 1, topK: 0 }, seed: 1, maxTokens: 12, stop: [], ...changes };
}

const where = missing === undefined ? (modelPath as string) : `${missing}: run \`npx co-harness setup\``;
describe.skipIf(missing !== undefined)(`PyTorch with ${where}`, { timeout: SLOW }, () => {
  describeBackendContract('PyTorch', open);

  describe('one backend', () => {
    let backend: ModelBackend;
    beforeAll(async () => {
      backend = await open();
    }, SLOW);
    afterAll(() => backend.close());

    it('ends with the end token of the model, which is among the ids and not in the text', async () => {
      // What a model says differs between processors: of several answers some one is short.
      const questions = ['Say yes.', 'Say only: yes', 'What is 1 + 1?', 'Name a colour.'];
      const all = await Promise.all(questions.map((one) => backend.generate(ask(one, { maxTokens: 100 }))));
      const ended = all.filter(({ finishReason }) => finishReason === 'end');
      expect(ended.length).toBeGreaterThan(0);
      for (const { text, completionTokenIds, usage } of ended) {
        expect(text).not.toContain('<|im_end|>');
        expect(completionTokenIds).toHaveLength(usage.completionTokens);
      }
    });

    it('gives a sampled answer that depends on the seed and not on what else is asked', async () => {
      const warm = { sampling: { temperature: 1, topP: 0.9, topK: 40 } };
      const question = 'Write one short sentence about a river.';
      const draw = (seed: number) => backend.generate(ask(question, { ...warm, seed }));
      const alone = [await draw(7), await draw(8), await draw(9)];
      const together = await Promise.all([1, 2, 7, 8, 9, 3].map(draw));
      // Near ties fall otherwise in a batch of another size on some processors; a draw that depends on its neighbours is equal in none.
      const equal = alone.filter(({ text }, index) => text === together[2 + index]?.text);
      expect(equal.length).toBeGreaterThanOrEqual(1);
      expect(new Set(together.map(({ text }) => text)).size).toBeGreaterThan(2);
    });
  });

  it('rejects what is in flight with a ProviderError when it is closed', async () => {
    const backend = await open();
    const running = backend.generate(ask('Write a long story.', { maxTokens: 400 }));
    const closing = backend.close();
    await expect(running).rejects.toBeInstanceOf(ProviderError);
    await closing;
  });

  it('says what is wrong with the weights before anything is generated', async () => {
    const base = { path: modelPath as string, hash: contentHash('another file') };
    await expect(open({ base })).rejects.toMatchObject({
      code: 'torch-engine-failed',
      details: { code: 'base-mismatch' },
    });
  });
});

describe.skipIf(process.platform === 'win32')('a process that misbehaves', () => {
  const opening = {
    base: { gguf: 'none.gguf', hash: '' },
    adapter: null,
    slots: 1,
    windowTokens: 8,
    threads: 1,
    endTokens: [],
  };
  const request = { prompt: [1], maxTokens: 1, temperature: 0, topP: 1, topK: 0, seed: 0, stop: [] };
  const ready = `echo '{"event":"ready","windowTokens":8,"precision":"float32"}'`;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'torch-backend-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Stands in for the interpreter: reads the opening, then does what `lines` say. */
  async function start(name: string, ...lines: string[]) {
    const python = join(folder, name);
    await writeFile(python, `#!/bin/sh\nread opening\n${lines.join('\n')}\n`, { mode: 0o755 });
    return startTorchProcess({ python, environment: process.env, opening });
  }

  it('and cannot be started is named', async () => {
    const starting = startTorchProcess({ python: 'no-such-python', environment: process.env, opening });
    await expect(starting).rejects.toMatchObject({
      code: 'torch-engine-failed',
      details: { python: 'no-such-python' },
    });
  });

  it('and gives up while loading says why', async () => {
    const starting = start(
      'gives-up',
      `echo '{"event":"failed","code":"out-of-memory","message":"Memory ran out"}'; exit 1`,
    );
    await expect(starting).rejects.toMatchObject({ code: 'torch-engine-failed', details: { code: 'out-of-memory' } });
    await expect(starting).rejects.toThrow('Memory ran out');
  });

  it('and dies with calls in flight fails those and all later ones as an engine fault', async () => {
    const engine = await start('dies', ready, 'read request', 'echo "Killed by the kernel" >&2', 'exit 9');
    await expect(engine.complete(request)).rejects.toMatchObject({ fault: 'engine', retryable: true });
    await expect(engine.complete(request)).rejects.toThrow('Killed by the kernel');
    await engine.close();
  });

  it('and refuses a request fails that one alone', async () => {
    const answers = [
      `echo '{"id":0,"error":"no such token"}'`,
      'read request',
      `echo '{"id":1,"tokens":[5],"finish":"end"}'`,
    ];
    const engine = await start('refuses', ready, 'read request', ...answers, 'read end');
    await expect(engine.complete(request)).rejects.toMatchObject({ fault: 'bad-response' });
    expect(await engine.complete(request)).toMatchObject({ tokens: [5], finish: 'end' });
    await engine.close();
  });

  it('and writes what is no answer is ended', async () => {
    const engine = await start('babbles', ready, 'read request', 'echo "Loading weights: 100%"', 'read end');
    await expect(engine.complete(request)).rejects.toMatchObject({ fault: 'engine', details: { code: 'bad-line' } });
    await engine.close();
  });
});
