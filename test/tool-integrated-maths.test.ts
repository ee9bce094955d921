import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { loadConfig } from '../src/cli/config-file.ts';
import { prepareRun } from '../src/evolution/start-run.ts';
import { readHarness } from '../src/harness/harness-folder.ts';
import { scriptedBackend } from '../src/model/scripted-backend.ts';
import { runRollout } from '../src/rollout/run-rollout.ts';
import { javaScriptSandbox } from '../src/sandbox/javascript-sandbox.ts';
import { pythonSandbox } from '../src/sandbox/python-sandbox.ts';
import { installedPythonSandbox } from '../src/setup/python-sandbox-packages.ts';
import { answerVerifier } from '../src/task/answer-verifier.ts';
import { taskHash } from '../src/task/task.ts';
import { taskLines } from './scripted-world/agent-folder.ts';
import { asOneLine, runCli } from './scripted-world/run-cli.ts';

const EXAMPLE = resolve('examples/tool-integrated-maths');
const CONFIGS = ['co-harness.config.ts', 'qwen3-8b.config.ts', 'qwen3-32b.config.ts'];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-maths-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Train pool and test tasks of our own, as `data get` would write them. */
function writeTasks(publishedOn: string): string[] {
  const lines = taskLines(120);
  const dated = lines.slice(80).map((line) => JSON.stringify({ ...JSON.parse(line), publishedOn }));
  writeFileSync(join(folder, 'train.jsonl'), lines.slice(0, 80).join('\n'));
  writeFileSync(join(folder, 'test.jsonl'), dated.join('\n'));
  return [
    ...['tasks.files.train=train.jsonl', 'tasks.files.test=test.jsonl', 'tasks.gate=20', 'tasks.train=null'].flatMap(
      (setting) => ['--set', setting],
    ),
  ];
}

describe('the configs of tool-integrated maths', () => {
  it.each(CONFIGS)('%s is read without a complaint, and so is its harness with run_python', async (file) => {
    const config = await loadConfig(join(EXAMPLE, file), []);
    const harness = await readHarness(join(EXAMPLE, config.harness));
    expect(harness.tools.map(({ backend }) => backend)).toEqual([{ kind: 'builtin', name: 'run_python' }]);
    expect(config.verifier.kind).toBe('answer');
  });

  it.each(CONFIGS.slice(1))(
    '%s has the schedule of the paper: two rounds, five iterations, then training',
    async (file) => {
      const { rounds, iterations, only, model, sizes } = await loadConfig(join(EXAMPLE, file), []);
      expect({ rounds, iterations, only }).toEqual({ rounds: 2, iterations: 5, only: null });
      expect(model.source).toMatch(/^openai:http.*#Qwen\/Qwen3-(8|32)B$/);
      expect(Object.values(sizes).every((size) => size !== null)).toBe(true);
    },
  );

  it('takes the gate out of the training pool where only train and test are given', async () => {
    const settings = writeTasks('2025-02').filter((part) => part !== '--set');
    const files = settings.map((setting) => setting.replace(/=(\w+\.jsonl)$/, `=${join(folder, '$1')}`));
    const file = join(EXAMPLE, 'co-harness.config.ts');
    const { splits, contamination } = await prepareRun(await loadConfig(file, files), file);
    expect(contamination).toBeUndefined();
    expect([splits.train.length, splits.gate.length, splits.test.length]).toEqual([60, 20, 40]);
    const trained = new Set(splits.train.map(({ group }) => group));
    expect(splits.gate.some(({ group }) => trained.has(group))).toBe(false);
    expect(splits.gate.every(({ reference }) => reference === undefined)).toBe(true);
  });
});

describe('run --estimate', () => {
  const runExample = (config: string, publishedOn: string, ...options: string[]) =>
    runCli(folder, 'run', join(EXAMPLE, `${config}.config.ts`), ...options, ...writeTasks(publishedOn));

  it('says what the paper schedule costs at most, and warns of test tasks that are older than the weights', async () => {
    const { code, stdout, stderr } = await runExample('qwen3-8b', '2024-02', '--only', 'harness', '--estimate');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(asOneLine(stdout)).toMatch(
      /Caution: 40 of 40 sealed test tasks were published in 2024-02, the weights in 2025-04/,
    );
    expect(stdout).toMatch(/failures +600 = 10 iterations × 60 tasks/);
    expect(stdout).toMatch(/GPU hours +\d+ = \d+ generating/);
    expect(stdout).toContain('assumed, not measured');
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });

  it('says what the whole schedule would cost, and that weights behind a server keep it from being run', async () => {
    const estimated = await runExample('qwen3-8b', '2025-11', '--estimate');
    expect(estimated.code).toBe(0);
    expect(asOneLine(estimated.stdout)).toMatch(
      /Caution: run refuses this config\. model\.source: .*cannot be trained/,
    );
    expect(estimated.stdout).toMatch(/GPU hours +\d+/);
    const started = await runExample('qwen3-8b', '2025-11');
    expect(started.code).toBe(2);
    expect(started.stderr).toContain('(no-trainable-weights)');
  });

  it('gives the same as JSON, without a caution for tasks that are newer', async () => {
    const { stdout } = await runExample('qwen3-32b', '2025-11', '--only', 'harness', '--estimate', '--json');
    const estimate = JSON.parse(stdout);
    expect(estimate).toMatchObject({ schema: 'co-harness/estimate@1', seeds: 1, contamination: null });
    expect(estimate.rollouts).toBe(
      estimate.steps.reduce((sum: number, { rollouts }: { rollouts: number }) => sum + rollouts, 0),
    );
    expect(estimate.hours.generating).toBeGreaterThan(0);
  });
});

const installation = await installedPythonSandbox();
if (installation === null)
  console.warn('Skipped: the Python sandbox is not installed (co-harness setup --python-sandbox).');

describe.skipIf(installation === null)('a rollout of tool-integrated maths', { timeout: 240_000 }, () => {
  const python = pythonSandbox({
    installation: async () => installation ?? Promise.reject(new Error('not installed')),
  });
  afterAll(() => python.close());

  it('runs the code of the model, keeps its variables, and judges the boxed answer', async () => {
    const replies = [
      '{"name": "run_python", "arguments": {"code": "n = sum(range(1, 101))\\nprint(n)"}}',
      '{"name": "run_python", "arguments": {"code": "n // 2"}}',
      'Half of the sum is \\boxed{\\frac{5050}{2}}.',
    ];
    const task = { id: 'half', problem: 'Half of the sum of 1 to 100?', answer: '2525' };
    const trajectory = await runRollout({
      harness: await readHarness(join(EXAMPLE, 'harness')),
      model: scriptedBackend({
        reply: ({ messages }) => replies[messages.filter(({ role }) => role === 'assistant').length] ?? '',
      }),
      task: { ...task, hash: taskHash(task), group: 'half' },
      split: 'train',
      repeat: 0,
      seed: 1,
      verifier: answerVerifier({ extraction: 'any' }),
      sampling: null,
      clock: systemClock,
      toolHosts: { javaScript: javaScriptSandbox(), python },
    });
    const values = trajectory.events.flatMap((event) => (event.type === 'tool-returned' ? [event.value] : []));
    expect(values).toEqual(['5050', '2525']);
    expect(trajectory.outcome).toMatchObject({ kind: 'scored', score: 1 });
  });
});

const SHARED = '../shared/data';
const COPIES = { train: `${SHARED}/gsm8k/train.jsonl`, test: `${SHARED}/hmmt-feb-2024/data.jsonl` };

describe.skipIf(!existsSync(COPIES.train) || !existsSync(COPIES.test))(`on real data (needs ${SHARED})`, () => {
  it('prepares a run on GSM8K and HMMT February 2024 unchanged, most training tasks with a solution to show', async () => {
    const file = join(EXAMPLE, 'co-harness.config.ts');
    const settings = Object.entries(COPIES).map(([split, path]) => `tasks.files.${split}=${resolve(path)}`);
    const { splits } = await prepareRun(await loadConfig(file, settings), file);
    expect([splits.train.length, splits.gate.length, splits.test.length]).toEqual([1000, 240, 30]);
    expect(splits.train.filter(({ reference }) => reference !== undefined).length).toBeGreaterThan(400);
    const { problem } = JSON.parse(readFileSync(COPIES.test, 'utf8').split('\n')[0] as string);
    expect(splits.test.some((task) => task.problem === problem)).toBe(true);
  }, 240_000);
});
