import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aiSdkReader } from './ai-sdk-reader.ts';
import type { CriticReader } from './critic-reader.ts';

interface Asked {
  model: string;
  messages: { role: string; content: string }[];
  max_tokens: number;
  temperature: number;
  seed: number;
}

/** The real `ai` package and a real provider against a server here, which answers what it is told to. */
const asked: Asked[] = [];
let next: { status?: number; reason?: string | null; hangs?: boolean; counts?: boolean } = {};
let server: Server;
let reader: CriticReader;
const at = { directory: import.meta.dirname, timeoutMs: 20_000 };
const open = (options: Partial<typeof at> = {}) => aiSdkReader('ai-sdk-model.fixture.mjs', { ...at, ...options });
beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked.push((await json(request)) as Asked);
    const { status = 200, reason = 'stop', hangs = false, counts = true } = next;
    if (hangs) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    const choice = { index: 0, message: { role: 'assistant', content: 'It was the tool.' }, finish_reason: reason };
    const usage = counts ? { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } : undefined;
    const refusal = { error: { message: `No entry for ${request.headers.authorization}` } };
    response.end(
      JSON.stringify(status === 200 ? { id: 'r', created: 0, model: 'judge', choices: [choice], usage } : refusal),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env.CO_HARNESS_TEST_KEY = 'sk-secret-1234567890';
  process.env.CO_HARNESS_TEST_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  reader = await open();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a model of the AI SDK as a reader', () => {
  it('is asked with the whole prompt, and its answer and tokens come back', async () => {
    next = {};
    const reply = await reader.read('Who was it?', { vote: 0 });
    expect(reply).toEqual({
      kind: 'text',
      text: 'It was the tool.',
      isComplete: true,
      usage: { promptTokens: 7, completionTokens: 5 },
    });
    expect(asked.at(-1)).toMatchObject({ model: 'judge', messages: [{ role: 'user', content: 'Who was it?' }] });
    expect(asked.at(-1)?.temperature).toBeGreaterThan(0);
  });

  it('is counted by an upper estimate where its provider tells no tokens', async () => {
    next = { counts: false };
    const reply = await reader.read('Who was it?', { vote: 0 });
    const usage = reply.kind === 'text' ? reply.usage : undefined;
    expect(usage).toMatchObject({ completionTokens: 'It was the tool.'.length, isEstimated: true });
    expect(usage?.promptTokens).toBeGreaterThanOrEqual('Who was it?'.length);
  });

  it('answers each vote under a seed of its own', async () => {
    next = {};
    for (const vote of [1, 2, 1]) await reader.read('Who was it?', { vote });
    const [first, second, again] = asked.slice(-3).map(({ seed }) => seed);
    expect(first).not.toBe(second);
    expect(again).toBe(first);
  });

  it('says where a length limit cut the answer', async () => {
    next = { reason: 'length' };
    expect(await reader.read('Who was it?', { vote: 0 })).toMatchObject({ kind: 'text', isComplete: false });
  });

  it('keeps room for the answer in the window that the file states', () => {
    expect(reader.promptCharacters).toBe((9000 - 3000) * 3);
    expect(reader.name).toBe('ai-sdk:ai-sdk-model.fixture.mjs:mine.chat/judge');
  });

  it.each(['stop', 'stop_sequence', null])('takes an answer that ended by itself as whole (%s)', async (reason) => {
    next = { reason };
    expect(await reader.read('Who was it?', { vote: 0 })).toMatchObject({ kind: 'text', isComplete: true });
  });

  it('gives no answer where the server refuses, and does not repeat the key', async () => {
    next = { status: 401 };
    const reply = await reader.read('Who was it?', { vote: 0 });
    expect(reply).toMatchObject({ kind: 'failed', why: expect.stringContaining('No entry for Bearer [key]') });
  });

  it('gives up after its time, and stops when it is told to', async () => {
    next = { hangs: true };
    const hasty = await open({ timeoutMs: 200 });
    expect(await hasty.read('Who was it?', { vote: 0 })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('within 200 ms'),
    });
    const stopped = reader.read('Who was it?', { vote: 0, signal: AbortSignal.timeout(100) });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('a file that holds no model', () => {
  const fileOf = (text: string) => {
    const directory = mkdtempSync(join(tmpdir(), 'ai-sdk-'));
    writeFileSync(join(directory, 'model.mjs'), text);
    return aiSdkReader('model.mjs', { ...at, directory });
  };

  it.each([
    ['that is missing', () => aiSdkReader('nowhere.mjs', at), 'cannot be loaded'],
    ['without a default export', () => fileOf('export const model = {};'), 'no model. Write: export default'],
    ['with a default export of another kind', () => fileOf('export default {};'), 'no model. Write: export default'],
    [
      'with an impossible window',
      () => fileOf('export default "gateway/model"; export const windowTokens = 9;'),
      'no number from 4096 on',
    ],
    ['away from the package', () => fileOf('export default "gateway/model";'), 'Run npm install ai there'],
  ])('is refused with what to do (%s)', async (_, opening, text) => {
    const refused = { code: 'invalid-critic', message: expect.stringContaining(text) };
    await expect(opening()).rejects.toMatchObject(refused);
  });
});
