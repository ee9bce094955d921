import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import type { TrainingSelection } from './select-training-rows.ts';
import { type AdapterTraining, trainAdapter } from './train-adapter.ts';
import { readTrainingDataset, writeTrainingDataset } from './training-dataset.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-trainer-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rows: TrainingSelection['rows'] = [
  { task: contentHash('a'), rollout: contentHash('ra'), event: 'e0', inputIds: [1, 2, 3], supervised: [[2, 3]] },
  { task: contentHash('b'), rollout: contentHash('rb'), event: 'e3', inputIds: [1, 2, 4, 5], supervised: [[2, 4]] },
];

function selection(fields: Partial<TrainingSelection> = {}): TrainingSelection {
  return {
    harness: contentHash('harness'),
    model: { base: contentHash('base'), adapter: null },
    verifier: contentHash('verifier'),
    tokenIds: 'exact',
    rows,
    rollouts: { seen: 5, selected: 2, dropped: { 'not-solved': 3 } as TrainingSelection['rollouts']['dropped'] },
    calls: { selected: 2, dropped: {} as TrainingSelection['calls']['dropped'] },
    ...fields,
  };
}

/**
 * A stand-in for the interpreter: a Node program that is called like Python with a job file. `body` sees `job`, `emit` and
 * `finish`, which leaves what a finished job leaves.
 */
function interpreter(body: string): string {
  const file = join(folder, `python-${readdirSync(folder).length}`);
  writeFileSync(
    file,
    `#!${process.execPath}
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const job = JSON.parse(readFileSync(process.argv[4], 'utf8'));
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, JSON.stringify({ argv: process.argv.slice(2), path: process.env.PYTHONPATH, job }) + '\\n');
const emit = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
const finish = () => {
  mkdirSync(job.output + '/adapter', { recursive: true });
  writeFileSync(job.output + '/adapter/adapter_config.json', '{}');
  writeFileSync(job.output + '/adapter.gguf', 'weights');
  const facts = { adapterHash: '${'a'.repeat(64)}', firstLoss: 2, lastLoss: 1, seconds: 3 };
  writeFileSync(job.output + '/manifest.json', JSON.stringify({ version: 1, rows: 2, tokens: 7, ...facts }));
  emit({ event: 'finished', adapter: job.output + '/adapter', adapterGguf: job.output + '/adapter.gguf', ...facts });
};
${body}
`,
  );
  chmodSync(file, 0o755);
  return file;
}

async function training(body: string, fields: Partial<AdapterTraining> = {}): Promise<AdapterTraining> {
  const dataset = await writeTrainingDataset(join(folder, 'datasets'), selection());
  return {
    python: interpreter(body),
    trainerRoot: join(folder, 'root'),
    base: { path: join(folder, 'base.gguf'), hash: contentHash('base') },
    initialAdapter: null,
    datasetFolder: dataset.folder,
    outputFolder: join(folder, 'work'),
    adaptersFolder: join(folder, 'adapters'),
    settings: { seed: 5 },
    ...fields,
  };
}

const calls = () =>
  readFileSync(join(folder, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('writeTrainingDataset', () => {
  it('writes one line per row, and a manifest that says where each comes from and what was dropped', async () => {
    const { hash, folder: dataset } = await writeTrainingDataset(folder, selection());
    const lines = readFileSync(join(dataset, 'rows.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { input_ids: [1, 2, 3], supervised: [[2, 3]] },
      { input_ids: [1, 2, 4, 5], supervised: [[2, 4]] },
    ]);
    expect(await readTrainingDataset(dataset)).toMatchObject({
      hash,
      tokenIds: 'exact',
      tokens: 7,
      supervisedTokens: 3,
      rows: [{ event: 'e0' }, { event: 'e3' }],
      rollouts: { seen: 5, dropped: { 'not-solved': 3 } },
    });
  });

  it('names the folder by rows and pair, not by what was dropped', async () => {
    const { hash } = await writeTrainingDataset(folder, selection());
    const moreDropped = selection({ rollouts: { ...selection().rollouts, seen: 9 } });
    expect((await writeTrainingDataset(folder, moreDropped)).hash).toBe(hash);
    expect((await writeTrainingDataset(folder, selection({ harness: contentHash('child') }))).hash).not.toBe(hash);
    expect((await writeTrainingDataset(folder, selection({ rows: rows.slice(1) }))).hash).not.toBe(hash);
  });

  it('refuses to write a dataset without rows and says what was dropped', async () => {
    await expect(writeTrainingDataset(folder, selection({ rows: [] }))).rejects.toMatchObject({
      code: 'no-training-rows',
      message: expect.stringContaining('not-solved 3'),
    });
  });

  it('does not take a folder without its manifest for a dataset', async () => {
    const { folder: dataset } = await writeTrainingDataset(folder, selection());
    rmSync(join(dataset, 'manifest.json'));
    await expect(readTrainingDataset(dataset)).rejects.toMatchObject({ code: 'file-missing' });
  });
});

describe('trainAdapter', () => {
  it('hands the job over, passes progress on in order and publishes the adapter under its hash', async () => {
    const steps: number[] = [];
    const job = await training(
      `emit({ event: 'started', rows: 2, tokens: 7, supervisedShare: 0.4, steps: 2 });
       for (const step of [1, 2]) emit({ event: 'progress', step, steps: 2, loss: 2 / step, tokensPerSecond: 9, secondsLeft: 2 - step });
       emit({ event: 'checkpoint', step: 2 });
       finish();`,
      { onProgress: ({ step }) => steps.push(step) },
    );
    const trained = await trainAdapter(job);
    expect(steps).toEqual([1, 2]);
    expect(trained).toMatchObject({ adapterHash: 'a'.repeat(64), firstLoss: 2, lastLoss: 1, rows: 2, tokens: 7 });
    expect(trained.adapterGguf).toBe(join(folder, 'adapters', 'a'.repeat(64), 'adapter.gguf'));
    expect(readdirSync(trained.adapterFolder).sort()).toEqual(['adapter', 'adapter.gguf', 'manifest.json']);
    const [call] = calls();
    expect(call.argv.slice(0, 2)).toEqual(['-m', 'coharness_trainer']);
    expect(call.path.startsWith(join(folder, 'root'))).toBe(true);
    expect(call.job).toMatchObject({
      version: 1,
      base: { hash: contentHash('base') },
      initialAdapter: null,
      rows: join(job.datasetFolder, 'rows.jsonl'),
      lora: { rank: 16, alpha: 32, dropout: 0, targets: ['all-linear'] },
      training: { epochs: 2, learningRate: 5e-4, rowsPerBatch: 16, seed: 5 },
    });
  });

  it('does not train again what is finished, even when the published copy is gone', async () => {
    const job = await training('finish();');
    const first = await trainAdapter(job);
    rmSync(first.adapterFolder, { recursive: true });
    expect(await trainAdapter(job)).toEqual(first);
    expect(existsSync(first.adapterGguf)).toBe(true);
    expect(calls()).toHaveLength(1);
  });

  it('works in a folder of its own for other settings, and in the same one for other threads', async () => {
    const job = await training('finish();');
    await trainAdapter(job);
    await trainAdapter({ ...job, settings: { seed: 5, threads: 1, checkpointEverySteps: 3 } });
    expect(calls()).toHaveLength(1);
    await trainAdapter({ ...job, settings: { seed: 6 } });
    expect(new Set(calls().map((call) => call.job.output)).size).toBe(2);
  });

  it('continues the weights of the given adapter', async () => {
    const job = await training('finish();');
    const { adapterFolder } = await trainAdapter(job);
    await trainAdapter({ ...job, initialAdapter: adapterFolder });
    expect(calls()[1].job.initialAdapter).toBe(join(adapterFolder, 'adapter'));
  });

  it('names the remedy when Python is not there', async () => {
    const job = await training('', { python: join(folder, 'gone', 'python') });
    await expect(trainAdapter(job)).rejects.toMatchObject({
      code: 'python-missing',
      message: expect.stringContaining('co-harness setup'),
    });
  });

  it.each([
    ['disk-full', 'free some space', 'free some space'],
    ['packages-missing', 'no trl.', 'co-harness setup'],
  ])('keeps the code and the advice of a failure that the trainer names: %s', async (code, message, advice) => {
    const job = await training(
      `emit({ event: 'failed', code: '${code}', message: '${message}' }); process.exitCode = 1;`,
    );
    await expect(trainAdapter(job)).rejects.toMatchObject({
      code: `training-${code}`,
      message: expect.stringContaining(advice),
    });
  });

  it.each([
    ['an exit code', "process.stderr.write('Boom\\n'); process.exitCode = 3;", /exit code 3[\s\S]*Boom/],
    ['a signal', "process.kill(process.pid, 'SIGKILL'); setTimeout(() => {}, 9e3);", /SIGKILL[\s\S]*memory/],
    ['an exit without a last event', '', /exit code 0/],
  ])('reports a crash with what is known of it: %s', async (_, body, text) => {
    await expect(trainAdapter(await training(body))).rejects.toMatchObject({
      code: 'trainer-crashed',
      message: expect.stringMatching(text),
    });
  });

  it('does not wait for what a trainer leaves running, such as a worker that loads rows', async () => {
    const job = await training(
      `const { spawn } = require('node:child_process');
       const worker = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60e3)'], { stdio: 'inherit' });
       process.stderr.write('worker ' + worker.pid);
       process.exit(3);`,
    );
    const started = performance.now();
    const error = (await trainAdapter(job).catch((reason: unknown) => reason)) as Error;
    process.kill(Number(/worker (\d+)/.exec(error.message)?.[1]), 'SIGKILL');
    expect(error).toMatchObject({ code: 'trainer-crashed', message: expect.stringContaining('exit code 3') });
    expect(performance.now() - started).toBeLessThan(30_000);
  });

  it('refuses a line that is no event instead of guessing', async () => {
    const job = await training("console.log('loss 3.2'); setTimeout(() => {}, 9e3);");
    await expect(trainAdapter(job)).rejects.toMatchObject({ code: 'trainer-protocol' });
  });

  it('ends the trainer when it is stopped', async () => {
    const stop = new AbortController();
    const job = await training(
      `process.on('SIGTERM', () => process.exit(0));
       emit({ event: 'progress', step: 1, steps: 2, loss: 1, tokensPerSecond: 1, secondsLeft: 1 }); setTimeout(() => {}, 9e3);`,
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(trainAdapter(job)).rejects.toMatchObject({ code: 'aborted' });
    await expect(trainAdapter(job)).rejects.toMatchObject({ code: 'aborted' });
    expect(calls()).toHaveLength(1);
  });

  it('does not train when the dataset is not complete', async () => {
    const job = await training('finish();');
    rmSync(join(job.datasetFolder, 'manifest.json'));
    await expect(trainAdapter(job)).rejects.toMatchObject({ code: 'file-missing' });
  });
});
