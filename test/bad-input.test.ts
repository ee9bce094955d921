import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { taskLines, writeAgentFolder } from './scripted-world/agent-folder.ts';
import { type LocalServer, listen, scriptedModelServer } from './scripted-world/model-server.ts';
import { asOneLine, runCli } from './scripted-world/run-cli.ts';

/**
 * Bad input from outside, through the command: every message names the place, what was expected and what to do, the exit code is not 0, and nothing is
 * bought or lost.
 */
let folder: string;
let server: LocalServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-bad-input-'));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const UNUSED = 'openai:http://127.0.0.1:9/v1#m';

async function failedRun(...args: string[]) {
  const { code, stderr, stdout } = await runCli(folder, 'run', '.', ...args);
  expect({ code: code === 0 ? 'succeeded' : 'failed', stdout }).toMatchObject({ code: 'failed' });
  return { code, message: stderr };
}

describe('weights that are not what the config says', () => {
  it('names the file that does not exist', async () => {
    await writeAgentFolder(folder, { source: 'file:missing.gguf' });
    expect((await failedRun()).message).toMatch(/missing\.gguf/);
  });

  it('shows expected and actual hash of weights that were replaced', async () => {
    // Complete, and holds nothing: magic, version 3, no tensors, no metadata.
    const bytes = Buffer.from([0x47, 0x47, 0x55, 0x46, 3, ...new Array(27).fill(0)]);
    await writeFile(join(folder, 'weights.gguf'), bytes);
    const expected = 'a'.repeat(64);
    await writeAgentFolder(folder, { source: `file:${join(folder, 'weights.gguf')}` });
    const { message } = await failedRun('--set', `model.hash=${expected}`);
    expect(message).toContain(expected);
    expect(message).toContain(createHash('sha256').update(bytes).digest('hex'));
  });

  it('says that a GGUF file ends too early', async () => {
    // Magic and version 3, then nothing of the counts that must follow.
    await writeFile(join(folder, 'weights.gguf'), Buffer.from([0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0, 1]));
    await writeAgentFolder(folder, { source: `file:${join(folder, 'weights.gguf')}` });
    expect((await failedRun()).message).toMatch(/weights\.gguf.*cut short/s);
  });
});

describe('tasks that cannot be used', () => {
  it('names file, line and field of a malformed line', async () => {
    const tasks = taskLines(280);
    tasks[6] = '{"id": "t7", "problem": 7}';
    await writeAgentFolder(folder, { source: UNUSED, tasks });
    expect((await failedRun('--only', 'harness')).message).toMatch(/tasks\.jsonl.*7.*problem/s);
  });

  it('lists ids that occur twice with different content', async () => {
    const tasks = taskLines(280);
    tasks.push(JSON.stringify({ id: 'sum-3', problem: 'Another question with the same id?', answer: '1' }));
    await writeAgentFolder(folder, { source: UNUSED, tasks });
    expect((await failedRun('--only', 'harness')).message).toMatch(/sum-3/);
  });

  it('names file, line and id of an answer that the verifier cannot use', async () => {
    const tasks = taskLines(280);
    tasks[6] = JSON.stringify({ id: 'worded', problem: 'How many legs has a spider, in words?', answer: 'eight' });
    await writeAgentFolder(folder, { source: UNUSED, tasks });
    const { code, message } = await failedRun('--only', 'harness');
    expect(message).toMatch(/tasks\.jsonl:7 \(worded\): "eight": it is not one number/);
    expect(code).toBe(2);
  });

  it.each(['run', 'run --estimate', 'run --estimate --json'])(
    'says at the start of %s how many groups of near-copies a gate needs',
    async (command) => {
      const near = [
        'apples does a farmer put into',
        'stamps would fit into one album with',
        'metres is a rope cut off from',
      ];
      const tasks = Array.from({ length: 400 }, (_, index) =>
        JSON.stringify({ id: `t${index}`, problem: `How many ${near[index % 3]} ${index} boxes?`, answer: `${index}` }),
      );
      await writeAgentFolder(folder, { source: UNUSED, tasks });
      const { code, message } = await failedRun('--only', 'harness', ...command.split(' ').slice(1));
      expect(message).toMatch(/80 tasks in \d groups? of near-copies, and at least 6 groups are needed/);
      expect(code).toBe(2);
    },
  );

  it('says how many tasks are missing where a split would be empty', async () => {
    await writeAgentFolder(folder, { source: UNUSED, tasks: taskLines(100) });
    expect((await failedRun('--only', 'harness')).message).toMatch(/train|split/);
  });
});

describe('a config that says something unknown', () => {
  it('suggests the key that was meant, in the file and with --set', async () => {
    await writeAgentFolder(folder, { source: UNUSED, config: 'itertions: 3\n' });
    expect((await failedRun()).message).toContain('did you mean "iterations"');
    await writeAgentFolder(folder, { source: UNUSED });
    expect((await failedRun('--set', 'gate.aplha=0.1')).message).toContain('did you mean "alpha"');
  });

  it('is refused by --estimate too, with the field, what was expected and exit code 2', async () => {
    await writeAgentFolder(folder, { source: 'Qwen/Qwen3-8B' });
    const { code, message } = await failedRun('--estimate');
    expect(message).toMatch(/model\.source: .*hf:Qwen\/Qwen3-8B\/FILE\.gguf/s);
    expect(code).toBe(2);
    expect(readdirSync(folder)).not.toContain('runs');
  });

  it('takes a path on the command line from the current folder', async () => {
    await writeAgentFolder(join(folder, 'agent'), { source: UNUSED });
    await writeFile(join(folder, 'mine.jsonl'), '{"id": "t1"}\n');
    const { stderr } = await runCli(folder, 'run', 'agent', '--only', 'harness', '--set', 'tasks.path=mine.jsonl');
    expect(stderr).toMatch(/mine\.jsonl.*1.*problem/s);
  });
});

describe('a harness with mistakes that load', () => {
  it('is refused where a tool lacks its code, and starts with a caution where nothing fills a field', async () => {
    await writeAgentFolder(folder, { source: 'file:weights.gguf' });
    await writeFile(join(folder, 'harness', 'prompts', 'task.md'), 'Solve {{probem}}\n');
    const told = await runCli(folder, 'run', '.', '--estimate');
    expect(asOneLine(told.stdout)).toMatch(
      /Caution: harness\/prompts\/task\.md: nothing fills \{\{probem\}\}.*\{\{problem\}\}/,
    );
    expect(told.code).toBe(0);
    // Nothing runs that could be stopped.
    expect(told.stdout).not.toContain('Ctrl-C');
    const tool = join(folder, 'harness', 'tools', 'calculator', 'tool.yaml');
    await writeFile(tool, 'parameters: { type: object }\nbackend: { kind: python, entry: tool.py }\n');
    const { code, message } = await failedRun('--estimate');
    expect(message).toMatch(
      /harness.*tools\/calculator\/tool\.yaml backend\.entry: there is no file tools\/calculator\/tool\.py/,
    );
    expect(code).toBe(2);
  });
});

describe('a model server that does not serve', () => {
  it('stops with the cause and without a score when every call is answered 401', async () => {
    server = await listen((_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"error": {"message": "bad key"}}');
    });
    await writeAgentFolder(folder, { source: `openai:${server.url}#m` });
    const { message } = await failedRun('--only', 'harness');
    expect(message).toMatch(/401/);
    expect(message).toMatch(/no score|key/);
    expect(server.requests()).toBeLessThan(100);
  });

  it('continues by the same command once the server answers', async () => {
    let isDown = true;
    const model = await scriptedModelServer();
    server = await listen(async (request, response) => {
      if (isDown) return void response.writeHead(401).end('{}');
      let body = '';
      for await (const chunk of request) body += chunk;
      const answer = await fetch(`${model.url}/chat/completions`, { method: 'POST', body });
      response.setHeader('content-type', 'application/json');
      response.end(await answer.text());
    });
    await writeAgentFolder(folder, { source: `openai:${server.url}#m` });
    await failedRun('--only', 'harness');
    isDown = false;
    const { code } = await runCli(folder, 'run', '.', '--only', 'harness', '--json');
    model.close();
    expect(code).toBe(0);
    expect(readdirSync(join(folder, 'runs'))).toHaveLength(1);
  }, 60_000);
});
