import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { closeToolHosts, type ToolHosts } from '../rollout/tools/tool-hosts.ts';
import { openToolHosts } from './open-tool-hosts.ts';

const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist',
  'index.js',
);
const NAME = 'CO_HARNESS_TEST_VARIABLE';

let hosts: ToolHosts | undefined;
afterEach(async () => {
  delete process.env[NAME];
  if (hosts !== undefined) await closeToolHosts(hosts);
});

/** The environment that an MCP server says it has. */
async function shown(environment: string[]): Promise<unknown> {
  const command = [process.execPath, everything];
  hosts = openToolHosts({ commands: 'never', mcp: { everything: { command, environment } } }, { log: () => {} });
  return hosts.mcp?.call('everything/get-env', {}, { wallMs: 30_000, signal: new AbortController().signal });
}

describe('an MCP server', { timeout: 120_000 }, () => {
  it('gets the values that the variables of its config have when it is opened', async () => {
    process.env[NAME] = 'of today';
    expect(await shown([NAME])).toMatchObject({ value: expect.stringContaining('of today') });
  });

  it.each([undefined, ''])('is refused where such a variable is %j', async (value) => {
    if (value !== undefined) process.env[NAME] = value;
    await expect(shown([NAME])).rejects.toMatchObject({
      code: 'variable-missing',
      message: expect.stringContaining(`tools.mcp.everything.environment: the environment variable ${NAME}`),
    });
  });

  it('gets the values that a run from before names alone were allowed has kept', async () => {
    const kept = { [NAME]: 'of the run' } as unknown as string[];
    expect(await shown(kept)).toMatchObject({ value: expect.stringContaining('of the run') });
  });
});
