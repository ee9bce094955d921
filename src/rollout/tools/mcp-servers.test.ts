import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mcpServers } from './mcp-servers.ts';

const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist',
  'index.js',
);
const never = new AbortController().signal;
const limits = { wallMs: 30_000, signal: never };
const endings: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
});

describe('tools of a Model Context Protocol server', { timeout: 120_000 }, () => {
  it('are called over the standard streams of the reference server', async () => {
    const servers = mcpServers({ everything: { command: [process.execPath, everything, 'stdio'] } });
    endings.push(() => servers.close());
    expect(await servers.call('everything/get-sum', { a: 20, b: 22 }, limits)).toEqual({
      kind: 'returned',
      value: expect.stringContaining('42'),
    });
    expect(await servers.call('everything/echo', { message: 'hello' }, limits)).toMatchObject({
      kind: 'returned',
      value: expect.stringContaining('hello'),
    });
  });

  it('fail in words of the server for wrong arguments and unknown tools, and the server goes on', async () => {
    const servers = mcpServers({ everything: { command: [process.execPath, everything, 'stdio'] } });
    endings.push(() => servers.close());
    const wrong = await servers.call('everything/get-sum', { a: 'x' }, limits);
    expect(wrong).toMatchObject({ kind: 'failed', errorType: 'mcp' });
    expect(await servers.call('everything/absent', {}, limits)).toMatchObject({ kind: 'failed', errorType: 'mcp' });
    expect(await servers.call('everything/get-sum', { a: 1, b: 1 }, limits)).toMatchObject({ kind: 'returned' });
    const slow = { ...limits, wallMs: 300 };
    const outcome = await servers.call('everything/trigger-long-running-operation', { duration: 20, steps: 2 }, slow);
    expect(outcome).toEqual({ kind: 'failed', errorType: 'timeout', problem: 'no value within 300 ms' });
  });

  it('see nothing of our environment', async () => {
    process.env.CO_HARNESS_TEST_SECRET = 'not for servers';
    const servers = mcpServers({
      everything: { command: [process.execPath, everything, 'stdio'], environment: { GIVEN: 'on purpose' } },
    });
    endings.push(() => servers.close());
    const outcome = await servers.call('everything/get-env', {}, limits);
    expect(outcome).toMatchObject({ value: expect.stringContaining('on purpose') });
    expect(outcome).toMatchObject({ value: expect.not.stringContaining('not for servers') });
  });

  it('are called over HTTP', async () => {
    const port = await freePort();
    const server = spawn(process.execPath, [everything, 'streamableHttp'], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    endings.push(() => server.kill());
    await new Promise<void>((resolve) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => text.includes('listening') && resolve());
    });
    const servers = mcpServers({ remote: { url: `http://127.0.0.1:${port}/mcp` } });
    endings.unshift(() => servers.close());
    expect(await servers.call('remote/get-sum', { a: 2, b: 3 }, limits)).toMatchObject({
      kind: 'returned',
      value: expect.stringContaining('5'),
    });
  });

  it('are infrastructure where their server is not configured or cannot be reached', async () => {
    const servers = mcpServers({ gone: { url: 'http://127.0.0.1:9/mcp' }, missing: { command: ['no-such-program'] } });
    for (const entry of ['gone/x', 'missing/x', 'other/x']) {
      expect(await servers.call(entry, {}, limits)).toMatchObject({ kind: 'unavailable' });
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
