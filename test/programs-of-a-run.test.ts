import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import type { Trajectory } from '../src/trajectory/trajectory.ts';
import { taskLines, writeAgentFolder } from './scripted-world/agent-folder.ts';
import { chatServer, type LocalServer, sumIn } from './scripted-world/model-server.ts';
import { askServed, type CliResult, runCli } from './scripted-world/run-cli.ts';

/**
 * A run whose agent and verifier are programs beside its config, both by relative paths. Only that agent answers as only that verifier wants it, so that a command
 * which plays or judges in another way scores nothing.
 */
const AGENT = `import { text } from 'node:stream/consumers';
const { task } = JSON.parse(await text(process.stdin));
const [, a, b] = /what do (\\d+) and (\\d+) make/.exec(task.problem);
console.log(JSON.stringify({ answer: 'by the agent: ' + (Number(a) + Number(b)) }));
`;
const CHECK = `import { text } from 'node:stream/consumers';
const { task, answer } = JSON.parse(await text(process.stdin));
console.log(answer === 'by the agent: ' + task.answer ? 1 : 0);
`;
const PROGRAMS = [
  `runner: { kind: command, command: ["${process.execPath}", agent.mjs] }`,
  `verifier: { kind: command, command: ["${process.execPath}", check.mjs] }`,
];
const CONFIG = 'co-harness.config.yaml';
const EVAL = ['eval', '--tasks', 'fresh.jsonl', '--json'];

let root: string;
let folder: string;
let server: LocalServer;
let finished: CliResult;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'co-harness-programs-'));
  folder = join(root, 'project');
  server = await chatServer(({ messages }) => `by the model: ${sumIn(messages.at(-1)?.content ?? '')}`);
  await writeAgentFolder(folder, { source: `openai:${server.url}#scripted` });
  const config = readFileSync(join(folder, CONFIG), 'utf8').replace(/^verifier: .*$/m, PROGRAMS.join('\n'));
  await writeFile(join(folder, CONFIG), config);
  await writeFile(join(folder, 'agent.mjs'), AGENT);
  await writeFile(join(folder, 'check.mjs'), CHECK);
  await writeFile(join(folder, 'fresh.jsonl'), `${taskLines(290).slice(280).join('\n')}\n`);
  const sizes = ['miningTasks=8', 'testTasks=8'].flatMap((size) => ['--set', `sizes.${size}`]);
  finished = await runCli(folder, 'run', '.', '--only', 'harness', '--name', 'own', ...sizes, '--json');
}, 240_000);
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

async function changed(file: string, text: string, inside: () => Promise<void>): Promise<void> {
  const before = readFileSync(join(folder, file), 'utf8');
  await writeFile(join(folder, file), text);
  await inside().finally(() => writeFile(join(folder, file), before));
}

describe('a run with programs of its own', { timeout: 240_000 }, () => {
  it('is judged by eval with the verifier of the run, in the folder of its config', async () => {
    expect(finished).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await runCli(folder, ...EVAL);
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Caution') });
    expect(JSON.parse(stdout)).toMatchObject({ scored: 10, unscored: 0, correct: 10 });
  });

  it('is played and judged by gate --null as the run was, whatever its config says by now', async () => {
    const now = readFileSync(join(folder, CONFIG), 'utf8').replace(/^verifier: .*$/m, 'verifier: { kind: exact }');
    await changed(CONFIG, now, async () => {
      expect(await runCli(folder, 'gate', '--null', '--groups', '4', '--json')).toMatchObject({ code: 0 });
    });
    const journal = openSqliteJournal(join(folder, 'runs', 'own', 'null.sqlite'), { readOnly: true });
    const rollouts = (await journal.entries('rollout')).map(({ value }) => value as Trajectory);
    await journal.close();
    expect(rollouts).toHaveLength(8);
    for (const { outcome } of rollouts) expect(outcome).toMatchObject({ kind: 'scored', score: 1 });
  });

  it('is served by its own agent, from any folder', async () => {
    expect(await runCli(folder, 'export', '--out', 'shipped')).toMatchObject({ code: 0 });
    const problem = 'Tell me: what do 20 and 22 make?';
    expect(await askServed(root, join(folder, 'shipped'), [problem])).toEqual(['by the agent: 42']);
  });

  it('is not served once the agent’s program is another one, and eval says so', async () => {
    await changed('agent.mjs', AGENT.replace('by the agent', 'by another'), async () => {
      const served = await runCli(folder, 'serve', 'shipped', '--port', '0');
      expect(served).toMatchObject({ code: 1, stderr: expect.stringMatching(/runner-changed.*co-harness export/s) });
      const { stdout, stderr } = await runCli(folder, ...EVAL);
      expect(stderr).toMatch(/Caution: the agent’s program/);
      expect(JSON.parse(stdout)).toMatchObject({ scored: 10, correct: 0 });
    });
  });

  it('says where its verifier has changed since', async () => {
    await changed('check.mjs', CHECK.replace('? 1 : 0', '? 0 : 1'), async () => {
      const { stdout, stderr } = await runCli(folder, ...EVAL);
      expect(stderr).toMatch(/Caution: the verifier judges in another way/);
      expect(JSON.parse(stdout)).toMatchObject({ scored: 10, correct: 0 });
    });
  });

  it('serves a pair of version 1 by our own loop, as ever', async () => {
    const file = join(folder, 'shipped', 'pair.json');
    const { runner: _, ...first } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...first, schema: 'co-harness/pair@1' }));
    expect(await askServed(root, join(folder, 'shipped'), ['Say what do 20 and 22 make'])).toEqual([
      'by the model: 42',
    ]);
    await writeFile(file, JSON.stringify({ ...first, schema: 'co-harness/pair@9' }));
    const unknown = await runCli(folder, 'serve', 'shipped');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/pair\.json.*schema/s) });
  });

  it('moves together with its config, and is not judged in whatever folder lies there instead', async () => {
    renameSync(folder, join(root, 'moved'));
    folder = join(root, 'moved');
    const moved = await runCli(folder, ...EVAL, '--seed', '2');
    expect(JSON.parse(moved.stdout)).toMatchObject({ scored: 10, correct: 10 });
    renameSync(join(folder, 'runs', 'own'), join(root, 'alone'));
    const { code, stderr } = await runCli(folder, ...EVAL, '--run', join(root, 'alone'));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/no-config.*verifier:.*Put the run/s) });
    const exported = await runCli(folder, 'export', '--run', join(root, 'alone'), '--out', 'lost');
    expect(exported).toMatchObject({ code: 2, stderr: expect.stringMatching(/no-config.*runner:.*Put the run/s) });
    expect(readdirSync(folder)).not.toContain('lost');
  });
});
