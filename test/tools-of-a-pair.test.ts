import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskLines, writeAgentFolder } from './scripted-world/agent-folder.ts';
import { chatServer, type LocalServer, sumIn } from './scripted-world/model-server.ts';
import { askServed, runCli } from './scripted-world/run-cli.ts';

/** A run whose tool is an MCP server beside the config, which gets a secret of our environment. The model only answers once the tool has shown it that secret. */
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist',
  'index.js',
);
const [NAME, SECRET] = ['CO_HARNESS_TEST_TOKEN', 'opal-fox-17'];
const TOOL = `description: Shows the environment.
parameters: { type: object, properties: {} }
backend: { kind: mcp, entry: everything/get-env }
limits: { wallMs: 30000, outputCharacters: 20000 }
`;
const tools = (environment: string) =>
  `tools: { commands: never, mcp: { everything: { command: ["${process.execPath}", server.mjs], environment: ${environment} } } }\n`;
const RUN = ['run', '.', '--only', 'harness', '--name', 'with-tools'];
const SIZES = ['miningTasks=8', 'testTasks=8'].flatMap((size) => ['--set', `sizes.${size}`]);

let root: string;
let folder: string;
let server: LocalServer;
const write = (environment: string) =>
  writeAgentFolder(folder, { source: `openai:${server.url}#scripted`, config: tools(environment) });
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'co-harness-tools-'));
  folder = join(root, 'project');
  server = await chatServer(({ messages }) => {
    const problem = messages.findLast(({ content }) => sumIn(content) !== null)?.content ?? '';
    const last = messages.at(-1)?.content ?? '';
    if (last === problem) return '{"name": "environment", "arguments": {}}';
    return last.includes(SECRET) ? `${sumIn(problem)}` : 'I was not shown it.';
  });
  await write(`[${NAME}]`);
  mkdirSync(join(folder, 'harness', 'tools', 'environment'), { recursive: true });
  await writeFile(join(folder, 'harness', 'tools', 'environment', 'tool.yaml'), TOOL);
  await writeFile(join(folder, 'server.mjs'), `await import('${pathToFileURL(everything).href}');\n`);
  await writeFile(join(folder, 'fresh.jsonl'), `${taskLines(284).slice(280).join('\n')}\n`);
});
afterAll(() => {
  delete process.env[NAME];
  server.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a run whose MCP server gets a secret', { timeout: 240_000 }, () => {
  it('is refused with values in place of names, in words that hold none of them', async () => {
    await write(`{ ${NAME}: ${SECRET} }`);
    const { code, stdout, stderr } = await runCli(folder, ...RUN);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/tools\.mcp\.everything\.environment: expected a list of names.*\[API_TOKEN\]/s),
    });
    expect(stdout + stderr).not.toContain(SECRET);
    await write(`[${NAME}=${SECRET}]`);
    expect((await runCli(folder, ...RUN)).stderr).toMatch(/expected a list of names(?!.*opal)/s);
    await write(`[${NAME}]`);
  });

  it.each([
    ['runner', `runner={kind: url, url: "http://me:${SECRET}@127.0.0.1:9/solve"}`, /runner\.url: it holds a user name/],
    ['MCP server', `tools.mcp.far.url=http://:${SECRET}@127.0.0.1:9/mcp`, /tools\.mcp\.far\.url: it holds a user name/],
    ['server without http', `tools.mcp.far.url=me:${SECRET}@127.0.0.1`, /tools\.mcp\.far/],
  ])('is refused with a password in the address of a %s, without repeating it', async (_, setting, message) => {
    const { code, stdout, stderr } = await runCli(folder, ...RUN, '--set', setting);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
    expect(stdout + stderr).not.toContain(SECRET);
  });

  it('is refused where our environment lacks it, before a model is asked', async () => {
    const { code, stderr } = await runCli(folder, ...RUN);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`variable-missing.*${NAME}`)),
    });
    expect(server.requests()).toBe(0);
  });

  it('keeps the name alone, and its pair is served with the same tools from any folder', async () => {
    process.env[NAME] = SECRET;
    expect(await runCli(folder, ...RUN, ...SIZES, '--json')).toMatchObject({ code: 0 });
    const { stdout } = await runCli(folder, 'eval', '--tasks', 'fresh.jsonl', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ scored: 4, correct: 4 });
    expect(await runCli(folder, 'export', '--out', 'shipped')).toMatchObject({ code: 0 });
    const text = readFileSync(join(folder, 'shipped', 'pair.json'), 'utf8');
    expect(JSON.parse(text).tools).toMatchObject({ commands: 'never', mcp: { everything: { environment: [NAME] } } });
    expect(text).not.toContain(SECRET);
    expect(await askServed(root, join(folder, 'shipped'), ['So what do 20 and 22 make?'])).toEqual(['42']);
    const run = ['--run', join(folder, 'runs', 'with-tools')];
    const elsewhere = await runCli(
      root,
      'eval',
      ...run,
      '--tasks',
      join(folder, 'fresh.jsonl'),
      '--seed',
      '2',
      '--json',
    );
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({ scored: 4, correct: 4 });
    expect(await runCli(root, 'export', ...run, '--out', 'from-elsewhere')).toMatchObject({ code: 0 });
    expect(await askServed(root, join(root, 'from-elsewhere'), ['So what do 20 and 22 make?'])).toEqual(['42']);
    const database = new DatabaseSync(join(folder, 'runs', 'with-tools', 'run.sqlite'));
    const row = database.prepare("SELECT id, value FROM step WHERE kind = 'run'").get();
    const header = JSON.parse(row?.value as string);
    header.engines.tools.mcp.far = { url: `http://me:${SECRET}@127.0.0.1:9/mcp` };
    const write = database.prepare('UPDATE step SET value = ? WHERE id = ?');
    write.run(JSON.stringify(header), row?.id as number);
    const leaky = await runCli(root, 'export', ...run, '--out', 'leaky');
    write.run(row?.value as string, row?.id as number);
    database.close();
    expect(leaky).toMatchObject({ code: 2, stderr: expect.stringContaining('invalid-address') });
    expect(leaky.stdout + leaky.stderr).not.toContain(SECRET);
    expect(existsSync(join(root, 'leaky'))).toBe(false);
    delete process.env[NAME];
    const bare = await runCli(root, 'serve', join(folder, 'shipped'), '--port', '0');
    expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('variable-missing') });
  });
});
