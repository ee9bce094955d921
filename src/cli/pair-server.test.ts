import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { ProviderError } from '../model/provider-error.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import { closeToolHosts } from '../rollout/tools/tool-hosts.ts';
import { openToolHosts } from './open-tool-hosts.ts';
import { pairServer } from './pair-server.ts';

/** A model that answers the problem "late" only when it is told to stop, fails at "broken", and says another thing to the first vote. */
let stopped: Promise<void>;
let asked: Promise<void>;
let server: Server;
const toolHosts = openToolHosts(undefined, { log: () => {} });
beforeEach(() => listen('name: plain\n'));

async function listen(harnessYaml: string): Promise<void> {
  const [isAsked, isStopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  asked = isAsked.promise;
  stopped = isStopped.promise;
  let calls = 0;
  const backend = scriptedBackend({
    reply: ({ messages, signal }) => {
      const problem = messages.at(-1)?.content;
      if (problem === 'broken') throw new ProviderError('bad-response', 'the engine is gone');
      if (problem === 'vote') return calls++ === 0 ? 'one' : 'two';
      if (problem !== 'late') return `said: ${problem}`;
      signal?.addEventListener('abort', () => isStopped.resolve());
      isAsked.resolve();
      return new Promise<string>(() => {});
    },
  });
  const harness = harnessFromFiles(new Map([['harness.yaml', harnessYaml]]));
  server = pairServer({ harness, backend, toolHosts, name: 'the pair' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function stop(): void {
  server.closeAllConnections();
  server.close();
}
afterEach(stop);

function send(problem: string, headers: Record<string, string> = {}, role = 'user') {
  const { port } = server.address() as AddressInfo;
  const request = httpRequest({ host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers });
  request.end(JSON.stringify({ messages: [{ role, content: problem }] }));
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  response.catch(() => {});
  return { request, response };
}

afterAll(() => closeToolHosts(toolHosts));

describe('a served pair', () => {
  it('answers a chat completion', async () => {
    const response = await send('two').response;
    expect(response.statusCode).toBe(200);
    expect(await json(response)).toMatchObject({ model: 'the pair', choices: [{ message: { content: 'said: two' } }] });
  });

  it('refuses a request without a message of a user, which would be its task', async () => {
    const refused = await send('Be brief.', {}, 'system').response;
    expect(refused.statusCode).toBe(400);
    expect(await json(refused)).toMatchObject({ error: { message: expect.stringContaining('role user') } });
  });

  it('says with 503 what failed where the engine did, instead of an empty answer', async () => {
    const response = await send('broken').response;
    expect(response.statusCode).toBe(503);
    const said = { message: 'the engine is gone', code: 'infrastructure', type: 'co_harness' };
    expect(await json(response)).toEqual({ error: said });
  });

  it('answers with what most votes say', async () => {
    stop();
    await listen('name: voting\nvotes: 3\nsampling: { temperature: 1 }\n');
    const response = await send('vote').response;
    expect(await json(response)).toMatchObject({ choices: [{ message: { content: 'two' } }] });
  });

  it.each([
    ['another host', { host: 'evil.example' }],
    ['a foreign origin', { origin: 'http://evil.example' }],
  ])('refuses %s', async (_, headers) => {
    expect((await send('two', headers).response).statusCode).toBe(403);
  });

  it('stops generating for a client that has gone', async () => {
    const { request } = send('late');
    await asked;
    request.destroy();
    await stopped;
  });

  it('stops generating when its connections are closed, so that it can end at once', async () => {
    send('late');
    await asked;
    server.closeAllConnections();
    await stopped;
  });
});
