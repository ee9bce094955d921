import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { describeBackendContract } from './backend-contract.suite.ts';
import type { GenerationRequest } from './model-backend.ts';
import { type OpenAiCompatibleOptions, openAiCompatibleBackend } from './openai-compatible-backend.ts';
import { ProviderError } from './provider-error.ts';
import { scriptedBackend } from './scripted-backend.ts';

type Handler = (
  body: Record<string, unknown>,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>;

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(handler: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    await handler(JSON.parse(text), response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function failure(options: Omit<OpenAiCompatibleOptions, 'model'>, request = ask()): Promise<ProviderError> {
  const error = await openAiCompatibleBackend({ model: 'm', ...options })
    .generate(request)
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

function ask(changes: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages = [{ role: 'user' as const, content: 'hi' }];
  return { messages, sampling: { temperature: 0, topP: 1, topK: 0 }, seed: 3, maxTokens: 20, stop: [], ...changes };
}

it('speaks the server’s own tool protocol where tools are offered, and gives back what the model wrote as it wrote it', async () => {
  const bodies: Record<string, unknown>[] = [];
  const url = await serve((body, response) => {
    bodies.push(body);
    const called = { function: { name: 'find', arguments: '{"query": "ca' } };
    const message = { content: null, tool_calls: [{ id: 'x', ...called }, called] };
    answer(response, 200, { choices: [{ message, finish_reason: 'tool_calls' }] });
  });
  const messages: GenerationRequest['messages'] = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: '', calls: [{ id: 'a', name: 'find', arguments: '{}' }] },
    { role: 'tool', content: 'nothing', callId: 'a' },
  ];
  const tools = [{ name: 'find', description: 'Finds', parameters: { type: 'object' } }];
  const generation = await openAiCompatibleBackend({ url, model: 'm' }).generate(
    ask({ messages, tools, mayCall: false }),
  );
  expect(bodies[0]).toMatchObject({
    tools: [{ type: 'function', function: { name: 'find' } }],
    tool_choice: 'none',
    messages: [
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'nothing' },
    ],
  });
  expect(generation.calls?.map(({ id }) => id)).toEqual(['x', 'call-1']);
  expect(generation.calls?.[0]?.arguments).toBe('{"query": "ca');
});

/** A server with a deterministic model behind it. */
const scriptedServer: Handler = async (body, response) => {
  const model = scriptedBackend({ reply: () => 'one, two, three, four, five', windowTokens: 2000 });
  const generation = await model.generate({
    messages: body.messages as GenerationRequest['messages'],
    sampling: { temperature: 0, topP: 1, topK: 0 },
    seed: body.seed as number,
    maxTokens: body.max_tokens as number,
    stop: (body.stop ?? []) as string[],
  });
  if (generation.finishReason === 'window') {
    answer(response, 400, {
      error: { code: 'context_length_exceeded', message: 'maximum context length is 2000 tokens' },
    });
    return;
  }
  answer(response, 200, {
    model: 'served-name',
    choices: [
      {
        message: { content: generation.text },
        finish_reason: generation.finishReason === 'length' ? 'length' : 'stop',
      },
    ],
    usage: { prompt_tokens: generation.usage.promptTokens, completion_tokens: generation.usage.completionTokens },
  });
};

describeBackendContract('openai-compatible', async () =>
  openAiCompatibleBackend({ url: await serve(scriptedServer), model: 'm', windowTokens: 2000 }),
);

describe('openAiCompatibleBackend', () => {
  it('sends the sampling, seed and key, and records the name that the server echoes', async () => {
    const seen: unknown[] = [];
    const url = await serve((body, response, request) => {
      seen.push(body, request.headers.authorization);
      return scriptedServer(body, response, request);
    });
    const backend = openAiCompatibleBackend({
      url,
      model: 'm',
      apiKeyVariable: 'KEY',
      environment: { KEY: 'sk-secret' },
    });
    const generation = await backend.generate(
      ask({ sampling: { temperature: 0.5, topP: 0.9, topK: 40 }, stop: ['x'] }),
    );
    expect(generation.modelEcho).toBe('served-name');
    expect(seen[0]).toMatchObject({
      model: 'm',
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      seed: 3,
      max_tokens: 20,
      stop: ['x'],
    });
    expect(seen[1]).toBe('Bearer sk-secret');
  });

  it('takes the numbers of a server that counts as they are', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
    const url = await serve((_, response) =>
      answer(response, 200, { choices: [{ message: { content: 'seven' }, finish_reason: 'stop' }], usage }),
    );
    const generation = await openAiCompatibleBackend({ url, model: 'm' }).generate(ask());
    expect(generation.usage).toEqual({ promptTokens: 9, completionTokens: 4 });
  });

  it.each([
    ['tells no usage', undefined],
    ['tells a usage of zeros', { prompt_tokens: 0, completion_tokens: 0 }],
  ])('where the server %s, counts an upper estimate that says it is one, never nothing', async (_, usage) => {
    const reply = { content: 'sieben', reasoning_content: 'drei und vier' };
    const url = await serve((__, response) =>
      answer(response, 200, { choices: [{ message: reply, finish_reason: 'stop' }], usage }),
    );
    const backend = openAiCompatibleBackend({ url, model: 'm' });
    const messages = [{ role: 'user' as const, content: 'Wie viel ist 3 + 4? '.repeat(20) }];
    const counted = (await backend.generate(ask({ messages, maxTokens: 500 }))).usage;
    expect(counted.isEstimated).toBe(true);
    expect(counted.promptTokens).toBeGreaterThan(Buffer.byteLength(messages[0]?.content ?? ''));
    expect(counted.completionTokens).toBeGreaterThan(Buffer.byteLength(Object.values(reply).join('')));
    expect((await backend.generate(ask({ messages, maxTokens: 10 }))).usage.completionTokens).toBe(10);
  });

  it('takes a reply that was cut for as long as it may be, where the server counts nothing', async () => {
    const choice = { message: { content: 'a' }, finish_reason: 'length' };
    const url = await serve((_, response) => answer(response, 200, { choices: [choice] }));
    const generation = await openAiCompatibleBackend({ url, model: 'm' }).generate(ask());
    expect(generation).toMatchObject({ finishReason: 'length', usage: { completionTokens: 20 } });
  });

  it('never repeats the key in an error, even when the server quotes it', async () => {
    const url = await serve((_, response) =>
      answer(response, 401, { error: { message: 'Incorrect API key provided: sk-secret' } }),
    );
    const error = await failure({ url, apiKeyVariable: 'KEY', environment: { KEY: 'sk-secret' } });
    expect(error).toMatchObject({ fault: 'unauthorised', retryable: false });
    expect(JSON.stringify([error.message, error.details, String(error.cause)])).not.toContain('sk-secret');
  });

  it('refuses to start when the variable for the key is empty', () => {
    expect(() =>
      openAiCompatibleBackend({ url: 'http://127.0.0.1:1/v1', model: 'm', apiKeyVariable: 'NO_KEY', environment: {} }),
    ).toThrow(/NO_KEY is empty/);
  });

  it('holds all later calls to the server back for as long as a 429 asked', async () => {
    const times: number[] = [];
    const url = await serve((body, response, request) => {
      times.push(performance.now());
      if (times.length === 1)
        return answer(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '0.4' });
      return scriptedServer(body, response, request);
    });
    const error = await failure({ url });
    expect(error).toMatchObject({ fault: 'rate-limited', retryable: true, details: { retryAfterMs: 400 } });
    await openAiCompatibleBackend({ url, model: 'another' }).generate(ask());
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThanOrEqual(395);
  });

  it('gives a model as many requests on the way as it asks for, though a judge opened the same server before', async () => {
    let [running, most] = [0, 0];
    const url = await serve(async (body, response, request) => {
      most = Math.max(most, ++running);
      await delay(200);
      running--;
      return scriptedServer(body, response, request);
    });
    const judge = openAiCompatibleBackend({ url, model: 'judge', concurrency: 2 });
    const model = openAiCompatibleBackend({ url, model: 'm', concurrency: 12 });
    openAiCompatibleBackend({ url, model: 'critic', concurrency: 3 });
    await Promise.all([judge, ...Array.from({ length: 15 }, () => model)].map((backend) => backend.generate(ask())));
    expect(most).toBe(12);
  });

  it('tells a used-up quota from a rate limit', async () => {
    const quota = await serve((_, response) => answer(response, 429, { error: { code: 'insufficient_quota' } }));
    const tomorrow = await serve((_, response) => answer(response, 429, {}, { 'retry-after': '36000' }));
    for (const url of [quota, tomorrow])
      expect(await failure({ url })).toMatchObject({ fault: 'quota', retryable: false });
  });

  it.each([
    ['an empty body', ''],
    ['text that is no JSON', '<html>hello</html>'],
    ['no choice', { choices: [] }],
    ['a withheld reply', { choices: [{ message: { content: null }, finish_reason: 'content_filter' }] }],
  ])('takes %s for a bad response, not for an empty reply of the model', async (what, body) => {
    const url = await serve((__, response) => answer(response, 200, body));
    const failed = await failure({ url });
    expect(failed).toMatchObject({ fault: 'bad-response', retryable: false });
    // Only a reply that was withheld says something of what was asked.
    expect(failed.details.isForeign === true).toBe(what !== 'a withheld reply');
  });

  it('takes an unknown model name for a bad response that quotes the server', async () => {
    const url = await serve((_, response) =>
      answer(response, 404, { error: { message: 'The model `m` does not exist' } }),
    );
    expect((await failure({ url })).message).toContain('The model `m` does not exist');
  });

  it('is unreachable when the connection is refused, the server fails or never answers', async () => {
    const gone = await serve(() => {});
    closers.pop()?.();
    expect(await failure({ url: gone })).toMatchObject({ fault: 'unreachable', retryable: true });
    expect((await failure({ url: gone })).message).toContain('ECONNREFUSED');
    expect(await failure({ url: await serve((_, response) => answer(response, 503, 'starting')) })).toMatchObject({
      fault: 'unreachable',
    });
    const silent = await failure({ url: await serve(() => {}), timeoutMs: 100 });
    expect(silent).toMatchObject({ fault: 'unreachable' });
    expect(silent.message).toContain('no answer within 0.1 s');
  });
});
