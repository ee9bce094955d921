import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskLines, writeAgentFolder } from './scripted-world/agent-folder.ts';
import { type LocalServer, scriptedModelServer } from './scripted-world/model-server.ts';
import { type CliResult, runCli } from './scripted-world/run-cli.ts';

/** One run of the real command against a model server, then every command that reads it: what other tools rely on. */
const RUN = ['run', '.', '--only', 'harness', '--set', 'sizes.testRepeats=2', '--json'];

let folder: string;
let server: LocalServer;
let finished: CliResult;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-cli-'));
  server = await scriptedModelServer();
  await writeAgentFolder(folder, { source: `openai:${server.url}#scripted`, tasks: taskLines(280).map(dated) });
  finished = await runCli(folder, ...RUN, '--set', 'model.released=2024-06');
}, 120_000);
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Public before the weights that the run says it uses. */
function dated(line: string): string {
  return JSON.stringify({ ...JSON.parse(line), publishedOn: '2024-02' });
}

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCli(folder, ...args, '--json');
  expect({ args, code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('run --json', () => {
  it('prints the report alone on stdout and progress on stderr', () => {
    expect(finished.code).toBe(0);
    expect(JSON.parse(finished.stdout)).toMatchObject({ schema: 'co-harness/report@1', run: expect.any(String) });
    expect(finished.stderr).toContain('sealed test tasks');
  });

  it('finds by itself the worked examples that this model needs, and says how sure it is', () => {
    const report = JSON.parse(finished.stdout);
    const [seed, last] = [report.pairs[0], report.pairs.find((pair: { round: number }) => pair.round === 1)];
    expect(seed).toMatchObject({ scored: 80, repeats: 2, correct: 0 });
    // Forty tasks, whatever their repeats.
    expect(seed.high).toBeCloseTo(0.088, 3);
    expect(last.correct).toBeGreaterThan(seed.correct);
    expect(last.low).toBeGreaterThan(0);
    expect(last.high).toBeLessThan(1);
  });

  it('warns at the start and in the report that the weights may have seen the sealed tasks', () => {
    expect(finished.stderr.replaceAll(/\n\s*/g, ' ')).toContain(
      'Caution: 40 of 40 sealed test tasks were published in 2024-02, the weights in 2024-06',
    );
    const contamination = { tasks: 40, of: 40, from: '2024-02', to: '2024-02', released: '2024-06' };
    expect(JSON.parse(finished.stdout)).toMatchObject({ contamination });
  });

  it('bought nothing again when the finished run is started again', async () => {
    const before = server.requests();
    const again = await runCli(folder, ...RUN);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).pairs).toEqual(JSON.parse(finished.stdout).pairs);
    expect(server.requests()).toBe(before);
  });
});

describe('commands that read a run', () => {
  it('report, status, log, show and diff agree about the versions', async () => {
    const report = (await json('report')) as { versions: { version: number; verdict: string }[] };
    const log = (await json('log')) as { versions: { version: number }[] };
    expect(log.versions.map(({ version }) => version)).toEqual(report.versions.map(({ version }) => version));
    expect(await json('status')).toMatchObject({ finished: true, versions: report.versions.length });
    const accepted = report.versions.find(({ verdict }) => verdict === 'better');
    expect(await json('show', `v${accepted?.version}`)).toMatchObject({ version: accepted?.version });
    const { edits } = (await json('diff', 'v0', `v${accepted?.version}`)) as { edits: unknown[] };
    expect(edits.length).toBeGreaterThan(0);
  });

  it('show prints evidence and every line of a diff with its sign, diff says so when harnesses are the same', async () => {
    const { versions } = (await json('log')) as { versions: { version: number; verdict: string }[] };
    const better = `v${versions.find(({ verdict }) => verdict === 'better')?.version}`;
    const shown = (await runCli(folder, 'show', better)).stdout;
    expect(shown).toMatch(/^Gate: \d+\.\d% -> \d+\.\d% on \d+ pairs of rollouts in \d+ groups$/m);
    const diff = shown.slice(shown.indexOf('Diff "'), shown.indexOf('Harness of ')).trimEnd().split('\n').slice(1);
    for (const line of diff) expect(line).toMatch(/^ {2}\S|^ {4}[-+]/);
    expect(shown).not.toContain('--- harness.yaml');
    expect((await runCli(folder, 'show', better, '--files')).stdout).toContain('--- harness.yaml');
    const same = (await runCli(folder, 'diff', 'v0', 'v0')).stdout;
    expect(same).toBe('The harnesses of v0 and v0 are the same; so are their weights.\n');
  });

  it('eval scores any pair on any tasks, one line a rollout, and refuses the sealed ones without the flag', async () => {
    const fresh = taskLines(300).slice(280);
    await writeFile(join(folder, 'fresh.jsonl'), `${fresh.join('\n')}\n`);
    const summary = await json(
      'eval',
      '--pair',
      'v0',
      '--tasks',
      'fresh.jsonl',
      '--out',
      'out.jsonl',
      '--repeats',
      '2',
    );
    expect(summary).toMatchObject({ schema: 'co-harness/eval@1', rollouts: 40, scored: 40, correct: 0 });
    // Repeats of a task are no further evidence: the interval is that of 20 tasks.
    expect(summary).toMatchObject({ tasks: 20, repeats: 2, accuracy: 0, low: 0, solvedOnce: 0 });
    expect(summary.high).toBeCloseTo(0.161, 3);
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(40);
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      id: 'sum-280',
      repeat: 0,
      score: 0,
      expected: expect.any(String),
    });

    await writeFile(join(folder, 'fresh.jsonl'), `${fresh.map(dated).join('\n')}\n`);
    const text = await runCli(folder, 'eval', '--tasks', 'fresh.jsonl', '--repeats', '3');
    expect(text.stderr).toContain('20 of 20 tasks were published in 2024-02, the weights in 2024-06');
    expect(text.stdout).toMatch(
      /^avg@3 \d+\.\d% \(95% .* over 20 tasks\): \d+ of 60 rollouts correct, \d+ of 20 tasks solved at least/,
    );

    const sealed = await runCli(folder, 'eval', '--tasks', 'tasks.jsonl', '--json');
    expect(sealed.code).not.toBe(0);
    expect(sealed.stdout + sealed.stderr).toContain('--open-sealed');
  }, 120_000);

  it('check finds every hash as it was written', async () => {
    const { checked, problems } = (await json('check')) as { checked: { versions: number }; problems: string[] };
    expect(problems).toEqual([]);
    expect(checked.versions).toBeGreaterThan(1);
  });

  it('gate --null plays the champion against itself on gate tasks, and buys nothing twice', async () => {
    const ask = () => json('gate', '--null', '--groups', '20', '--temperature', '0.7');
    const measured = await ask();
    expect(measured).toMatchObject({ schema: 'co-harness/gate-null@1', greedy: false, groups: 20, unscored: 0 });
    expect(measured.bands).toHaveLength(3);
    const before = server.requests();
    expect(await ask()).toEqual(measured);
    expect(server.requests()).toBe(before);
  }, 120_000);

  it('lab faults --run breaks the champion and lets its own model act on train tasks', async () => {
    const { run } = JSON.parse(finished.stdout) as { run: string };
    const report = await json('lab', 'faults', '--run', run, '--tasks', '12', '--split', 'development');
    const rows = report.results as { actor: string; n: number; groups: number }[];
    expect(report).toMatchObject({ schema: 'co-harness/lab-faults@1' });
    expect(rows).toHaveLength(4);
    expect(rows.every(({ actor, n, groups }) => actor === 'real' && n > 0 && groups > 0)).toBe(true);
    // The seed pair passes nothing and is not the best that the run found: nobody's fault is known.
    const weak = await json('lab', 'faults', '--run', run, '--pair', 'v0', '--tasks', '12', '--split', 'development');
    expect((weak.results as { n: number }[]).map(({ n }) => n)).toEqual([0, 0, 0, 0]);
    const idle = await runCli(folder, 'lab', 'faults', '--pair', 'v1');
    expect(idle).toMatchObject({ code: 2, stderr: expect.stringContaining('--pair does nothing without --run') });
    const many = await runCli(folder, 'lab', 'faults', '--run', run, '--tasks', '5000');
    expect(many).toMatchObject({ code: 2, stderr: expect.stringContaining('5000 are needed to break its harness on') });
  }, 120_000);

  it('rollback is a new entry, and the history stays', async () => {
    const before = (await json('log')) as { versions: unknown[] };
    await json('rollback', 'v0');
    const after = (await json('log')) as { versions: unknown[] };
    expect(after.versions).toHaveLength(before.versions.length + 1);
    expect(after.versions.slice(0, before.versions.length)).toEqual(before.versions);
  });

  it('export writes the harness and a script that serves the pair', async () => {
    await json('export', 'champion', '--out', 'shipped');
    expect(readdirSync(join(folder, 'shipped'))).toEqual(expect.arrayContaining(['harness', 'pair.json']));
    expect(existsSync(join(folder, 'shipped', 'harness', 'harness.yaml'))).toBe(true);
  });

  it('names what it knows when it is asked for something unknown', async () => {
    const missing = await runCli(folder, 'show', 'v99', '--json');
    expect(missing.code).not.toBe(0);
    expect(missing.stdout + missing.stderr).toMatch(/v99/);
  });
});
