import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskLines } from './scripted-world/agent-folder.ts';
import { type LocalServer, listen } from './scripted-world/model-server.ts';
import { runCli } from './scripted-world/run-cli.ts';

/** Adds up the numbers of a problem where the instructions of φ reached it. */
function sums(): Promise<LocalServer> {
  return listen(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { messages } = JSON.parse(text) as { messages: { role: string; content: string }[] };
    const [system, user] = messages;
    const numbers = user?.content.match(/\d+/g)?.map(Number) ?? [];
    const content = system?.content.startsWith('Solve the problem.') ? String(numbers.reduce((a, b) => a + b, 0)) : '?';
    response.setHeader('content-type', 'application/json');
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
    response.end(JSON.stringify({ model: 'sums', choices, usage: { prompt_tokens: 9, completion_tokens: 1 } }));
  });
}

let folder: string;
let server: LocalServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-init-'));
  server = await sums();
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('init --own-agent', () => {
  it('writes an agent that runs as it stands, with the tasks and the model of the user', async () => {
    const written = await runCli(folder, 'init', '--own-agent');
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('Wrote 5 files') });
    writeFileSync(join(folder, 'tasks.jsonl'), `${taskLines(280).join('\n')}\n`);
    const sizes = { miningTasks: 8, candidates: 1, screeningTasks: 8, gateGroups: 80, testTasks: 20 };
    const settings = { 'model.source': `openai:${server.url}#sums`, 'tasks.gate': 80, 'tasks.test': 40, iterations: 1 };
    const set = Object.entries({ ...settings, sizes: JSON.stringify(sizes) }).flatMap(([key, value]) => [
      '--set',
      `${key}=${value}`,
    ]);
    const run = await runCli(folder, 'run', '.', '--only', 'harness', '--rounds', '1', '--json', ...set);
    expect(run).toMatchObject({ code: 0 });
    const { pairs } = JSON.parse(run.stdout) as { pairs: { scored: number; correct: number }[] };
    expect(pairs[0]?.scored).toBe(20);
    expect(pairs[0]?.correct).toBeGreaterThan(0);
  }, 120_000);

  it('overwrites nothing', async () => {
    const again = await runCli(folder, 'init', '--own-agent');
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('already holds');
  });
});
