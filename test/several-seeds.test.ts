import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from './scripted-world/run-cli.ts';
import { writeSeveralSeeds } from './scripted-world/several-seeds.ts';

/** Commands on runs of several seeds: `rollback v3` moved the champion of seed 2, and `show champion` went on to show seed 1's without a word. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-seeds-'));
  await writeSeveralSeeds(folder, 'three', 3);
  await writeSeveralSeeds(folder, 'one', 1);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const shownVersion = async (...args: string[]) => {
  const { stdout, stderr } = await runCli(folder, 'show', ...args, '--json');
  return { version: JSON.parse(stdout).version, stderr };
};

describe('a version named in a run of several seeds', () => {
  it('is the first seed’s champion where no seed is given, and stderr says so and how to name the others', async () => {
    const { version, stderr } = await shownVersion('champion', '--run', 'three');
    expect(version).toBe(1);
    expect(stderr).toBe('champion of seed 1 (v1); for another seed: champion@2, champion@3\n');
  });

  it('is that of one seed with @, for champion and for a pair that seeds share', async () => {
    expect(await shownVersion('champion@2', '--run', 'three')).toEqual({ version: 4, stderr: '' });
    const { stdout } = await runCli(folder, 'show', 'v0', '--run', 'three', '--json');
    const shared = JSON.parse(stdout).hash.slice(0, 8);
    expect(await shownVersion(`${shared}@3`, '--run', 'three')).toEqual({ version: 6, stderr: '' });
    expect((await shownVersion(shared, '--run', 'three')).stderr).toContain(`${shared}@2, ${shared}@3`);
  }, 60_000);

  it('needs no word about seeds where it names one version, or the run has one seed', async () => {
    expect(await shownVersion('v4', '--run', 'three')).toEqual({ version: 4, stderr: '' });
    expect(await shownVersion('champion', '--run', 'one')).toEqual({ version: 1, stderr: '' });
  });

  it('is refused where the seed does not exist, or is not the version’s own', async () => {
    const unknown = await runCli(folder, 'show', 'champion@4', '--run', 'three');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no seed 4. Known: 1, 2, 3.') });
    const other = await runCli(folder, 'show', 'v4@1', '--run', 'three');
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no version v4@1') });
  });
});

describe('show', () => {
  it('prints the interval of each difference, the error that was allowed and what the evidence came to', async () => {
    const { stdout } = await runCli(folder, 'show', 'v1', '--run', 'three');
    expect(stdout).toContain(
      '  difference +20.0 pp (95% +5.0 pp to +35.0 pp)\n  targeted +30.0 pp (95% +10.0 pp to +50.0 pp)\n',
    );
    expect(stdout).toContain('  alpha 0.025 (betting), e-value 57.3 of 40 needed, 6 of 10 looks\n');
    expect(stdout).not.toContain('held out');
  });
});

describe('log', () => {
  it('draws each seed under its number within 80 columns, with intervals, and marks its champion', async () => {
    const { stdout } = await runCli(folder, 'log', 'three');
    const seeds = stdout.split(/^(?=seed \d$)/m);
    expect(seeds.map((text) => text.split('\n')[0])).toEqual(['seed 1', 'seed 2', 'seed 3']);
    expect(seeds[2]).toMatch(/├─ v7 \w+ better \*champion\* \+20\.0 pp \(\+5\.0 pp to \+35\.0 pp\): new/);
    for (const text of seeds) expect(text.match(/\*champion\*/g)).toHaveLength(1);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect((await runCli(folder, 'log', 'one')).stdout).not.toContain('seed 1');
  }, 60_000);
});

describe('status', () => {
  it('counts accepted changes without seed pairs, and rollbacks apart', async () => {
    const before = await runCli(folder, 'status', 'one');
    expect(before.stdout).toContain('1 of 2 changes accepted, 0 rollouts');
    await runCli(folder, 'rollback', 'v0', '--run', 'one');
    const after = await runCli(folder, 'status', 'one', '--json');
    expect(JSON.parse(after.stdout).changes).toEqual({ proposed: 2, accepted: 1, rollbacks: 1 });
  }, 60_000);
});

describe('a command that reads a whole run', () => {
  it('takes the run as its argument or with --run, and refuses two different ones', async () => {
    for (const args of [['three'], ['--run', 'three'], ['three', '--run', 'three']]) {
      const { stdout } = await runCli(folder, 'status', ...args, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ run: 'three' });
    }
    const both = await runCli(folder, 'log', 'three', '--run', 'one');
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('three and --run one') });
  }, 60_000);
});

describe('rollback in a run of several seeds', () => {
  it('rolls back the champion of its own seed, which the message names, and export ships that seed’s pair', async () => {
    const back = await runCli(folder, 'rollback', 'v3', '--run', 'three');
    expect(back.stdout).toBe('three: v9 is the champion of seed 2: Back to v3: asked for by the user\n');
    expect(await shownVersion('champion@2', '--run', 'three')).toEqual({ version: 9, stderr: '' });
    const shipped = await runCli(folder, 'export', 'champion@2', '--run', 'three', '--out', 'out', '--json');
    expect(JSON.parse(shipped.stdout)).toMatchObject({ version: 9, seed: 2, adapter: null });
    const alone = await runCli(folder, 'rollback', 'v1', '--run', 'one');
    expect(alone.stdout).toBe('one: v4 is the champion: Back to v1: asked for by the user\n');
  }, 60_000);
});
