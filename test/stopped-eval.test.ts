import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { taskLines, writeAgentFolder } from './scripted-world/agent-folder.ts';
import { chatServer, type LocalServer, sumIn } from './scripted-world/model-server.ts';
import { runCli, startCli } from './scripted-world/run-cli.ts';

let folder: string;
let server: LocalServer;
/** Problems that the model was asked, in order; from the `most`-th on it does not answer any more. */
let asked: string[] = [];
let most = Number.POSITIVE_INFINITY;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-eval-'));
  server = await chatServer(({ messages }) => {
    const problem = messages.at(-1)?.content ?? '';
    asked.push(problem);
    return asked.length > most ? new Promise<string>(() => {}) : `${sumIn(problem)}`;
  });
  await writeAgentFolder(folder, { source: `openai:${server.url}#scripted` });
  await writeFile(join(folder, 'some.jsonl'), `${taskLines(30).join('\n')}\n`);
  const settings = ['model.sequences=1', 'sizes.miningTasks=8', 'sizes.testTasks=8'];
  const run = await runCli(
    folder,
    ...['run', '.', '--only', 'harness', '--json'],
    ...settings.flatMap((text) => ['--set', text]),
  );
  expect(run).toMatchObject({ code: 0 });
}, 240_000);
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Looks at the sealed test that the run counts. */
async function looks(): Promise<number> {
  const { stdout } = await runCli(folder, 'report', '--json');
  return JSON.parse(stdout).looks.count;
}

it('an eval that was stopped continues by the same command: it buys nothing twice, and its look at sealed tasks is one', async () => {
  const command = ['eval', '--tasks', 'some.jsonl', '--open-sealed', '--out', 'out.jsonl', '--json'];
  const before = await looks();
  [asked, most] = [[], 10];
  const first = startCli(folder, ...command);
  await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(11);
  first.interrupt();
  const stopped = await first.ended;
  expect(stopped).toMatchObject({
    code: 130,
    stderr: expect.stringContaining('Run the same command again to continue'),
  });
  const bought = new Set(asked.slice(0, 10));
  expect(await looks()).toBe(before + 1);

  [asked, most] = [[], Number.POSITIVE_INFINITY];
  const { code, stdout, stderr } = await runCli(folder, ...command);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ rollouts: 30, scored: 30, correct: 30 });
  expect(stderr).toContain('10 of 30 rollouts were there already');
  expect(asked).toHaveLength(20);
  expect(asked.filter((problem) => bought.has(problem))).toEqual([]);
  expect(await looks()).toBe(before + 1);
}, 240_000);

it('rollouts that were kept are told under the names that the tasks have in the file at hand', async () => {
  const renamed = taskLines(5).map((line) => JSON.stringify({ ...JSON.parse(line), id: `new ${JSON.parse(line).id}` }));
  await writeFile(join(folder, 'renamed.jsonl'), `${renamed.join('\n')}\n`);
  asked = [];
  const command = ['eval', '--tasks', 'renamed.jsonl', '--open-sealed', '--out', 'named.jsonl'];
  expect(await runCli(folder, ...command)).toMatchObject({ code: 0 });
  expect(asked).toEqual([]);
  const rows = readFileSync(join(folder, 'named.jsonl'), 'utf8').trim().split('\n');
  const ids = rows.map((row) => JSON.parse(row)).map(({ id, trajectory }) => [id, trajectory.taskId]);
  expect(ids).toEqual([0, 1, 2, 3, 4].map((index) => [`new sum-${index}`, `new sum-${index}`]));
}, 120_000);

it('an eval that asks for what is not there counts no look', async () => {
  const before = await looks();
  await writeFile(join(folder, 'others.jsonl'), `${taskLines(60).slice(30).join('\n')}\n`);
  const wrong = await runCli(folder, 'eval', '--pair', 'v99', '--tasks', 'others.jsonl', '--open-sealed');
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('v99') });
  expect(await looks()).toBe(before);
}, 120_000);

it('sealed tasks that another pair is evaluated on, or the same with other draws, are looked at once more', async () => {
  await writeFile(join(folder, 'again.jsonl'), `${taskLines(30).join('\n')}\n`);
  const counts: number[] = [await looks()];
  const look = async (...options: string[]) => {
    const command = ['eval', '--tasks', 'again.jsonl', '--open-sealed', ...options];
    expect(await runCli(folder, ...command)).toMatchObject({ code: 0 });
    counts.push(await looks());
  };
  await look('--pair', 'v0', '--seed', '7');
  await look('--pair', 'v0', '--seed', '7');
  await look('--pair', 'v0', '--seed', '8');
  await look('--pair', 'v0', '--seed', '8', '--repeats', '2');
  const [before = 0] = counts;
  expect(counts).toEqual([0, 1, 1, 2, 3].map((more) => before + more));
}, 240_000);

it('an output that would replace the tasks, or cannot be written, is refused before anything is bought or looked at', async () => {
  const before = await looks();
  asked = [];
  await writeFile(join(folder, 'precious.jsonl'), `${taskLines(90).slice(60).join('\n')}\n`);
  const text = readFileSync(join(folder, 'precious.jsonl'), 'utf8');
  for (const out of ['precious.jsonl', './precious.jsonl', '.']) {
    const refused = await runCli(folder, 'eval', '--tasks', 'precious.jsonl', '--open-sealed', '--out', out);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('Name another file') });
  }
  expect(readFileSync(join(folder, 'precious.jsonl'), 'utf8')).toBe(text);
  expect([asked.length, await looks()]).toEqual([0, before]);
}, 120_000);

it('two evals at once buy no rollout twice', async () => {
  await writeFile(join(folder, 'both.jsonl'), `${taskLines(150).slice(130).join('\n')}\n`);
  asked = [];
  const command = ['eval', '--tasks', 'both.jsonl', '--open-sealed', '--json'];
  const both = await Promise.all([runCli(folder, ...command), runCli(folder, ...command)]);
  for (const { code, stdout } of both) {
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ rollouts: 20, scored: 20 });
  }
  expect(asked).toHaveLength(20);
}, 120_000);

it('a rollback to the pair that is the champion writes nothing', async () => {
  const { stdout: log } = await runCli(folder, 'log', '--json');
  const same = await runCli(folder, 'rollback', 'champion');
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was written') });
  expect((await runCli(folder, 'log', '--json')).stdout).toBe(log);
}, 120_000);
