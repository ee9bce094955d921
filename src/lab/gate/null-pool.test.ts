import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock } from '../../base/clock.ts';
import { memoryJournal } from '../../base/journal.ts';
import { seedFrom } from '../../base/random.ts';
import { openSqliteJournal } from '../../base/sqlite-journal.ts';
import { collectNullPool, type NullPoolOrder, nullPoolArms, readNullPool } from '../../evolution/null-pool.ts';
import { harnessFromFiles } from '../../harness/parse-harness.ts';
import { scriptedBackend } from '../../model/scripted-backend.ts';
import { numericVerifier } from '../../task/numeric-verifier.ts';
import { type Task, taskHash } from '../../task/task.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { registerLabNullPoolCommand } from './lab-null-pool-command.ts';
import { nullPoolReport } from './null-pool-report.ts';

const HARNESS = harnessFromFiles(
  new Map([
    ['harness.yaml', 'name: one\n'],
    ['prompts/system.md', 'You are a helpful assistant.\n'],
  ]),
);
const ARMS = nullPoolArms(HARNESS);
const GROUPS: Task[][] = Array.from({ length: 40 }, (_, group) =>
  [0, 1].map((copy) => {
    const row = { id: `t${group}-${copy}`, problem: `Task number ${group}, copy ${copy}?`, answer: '1' };
    return { ...row, hash: taskHash(row), group: `g${group}` };
  }),
);

/** Right by the luck of the seed, more often on some tasks than on others, and `harm` less often under a synonym. */
function order(changes: Partial<NullPoolOrder> = {}, harm = 0): NullPoolOrder {
  return {
    name: 'scripted',
    arms: ARMS,
    model: scriptedBackend({
      reply: ({ messages, seed }) => {
        const problem = messages.at(-1)?.content.trim() ?? '';
        const rate = (seedFrom('rate', problem) % 100) / 100 - (messages[0]?.content.includes('useful') ? harm : 0);
        return (seedFrom('luck', seed, messages[0]?.content ?? '') % 1000) / 1000 < rate ? '1' : '0';
      },
    }),
    groups: GROUPS,
    sampling: { temperature: 0.7, topP: 1, topK: 0 },
    seed: 1,
    verifier: numericVerifier(),
    rollouts: 40 * 2 * 3 * 6,
    journal: memoryJournal(),
    clock: manualClock(),
    signal: new AbortController().signal,
    onProgress: () => {},
    ...changes,
  };
}

describe('a pool of rollouts of a pair against itself', { timeout: 120_000 }, () => {
  it('grows by the same order after a stop, buys nothing twice, and is the pool that was never stopped', async () => {
    const journal = memoryJournal();
    const controller = new AbortController();
    const stopped = collectNullPool(
      order({
        journal,
        signal: controller.signal,
        onProgress: ({ collected }) => {
          if (collected === 500) controller.abort();
        },
      }),
    );
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    const before = (await readNullPool(journal)).rollouts;
    expect(before).toBeGreaterThanOrEqual(500);
    let bought = 0;
    await collectNullPool(order({ journal, onProgress: (progress) => (bought = progress.bought) }));
    expect(bought).toBe(1440 - before);
    const whole = memoryJournal();
    await collectNullPool(order({ journal: whole }));
    const [one, other] = [await readNullPool(journal), await readNullPool(whole)];
    expect(one.arms.map((arm) => arm.flat(3).reduce((a, b) => a + b))).toEqual(
      other.arms.map((arm) => arm.flat(3).reduce((a, b) => a + b)),
    );
    expect(one.arms[0]?.flat().every((scores) => scores.length === 6)).toBe(true);
  });

  it('asks for the draws of a prompt in a row, which an engine reads once', async () => {
    const journal = memoryJournal();
    await collectNullPool(order({ journal }));
    const first = (await journal.entries('rollout'))
      .slice(0, 60)
      .map(({ value }) => (value as Trajectory).identity.task);
    expect(new Set(first).size).toBeLessThan(10);
  });

  it('keeps draws of the arms side by side where one of them was never scored', async () => {
    const whole = memoryJournal();
    await collectNullPool(order({ journal: whole }));
    const gappy = memoryJournal();
    const entries = [...(await whole.entries('null-pool')), ...(await whole.entries('rollout'))];
    const isLost = ({ identity }: Trajectory) => identity.repeat === 2 && identity.harness === ARMS[1]?.harness.hash;
    for (const entry of entries) {
      if (entry.kind !== 'rollout' || !isLost(entry.value as Trajectory)) await gappy.put(entry);
    }
    const without = (scores: number[]) => scores.filter((_, draw) => draw !== 2);
    const { arms } = await readNullPool(whole);
    expect((await readNullPool(gappy)).arms).toEqual(arms.map((arm) => arm.map((group) => group.map(without))));
  });

  it('refuses to be continued by another pair, other tasks or another temperature, and a greedy pair from the start', async () => {
    const journal = memoryJournal();
    await collectNullPool(order({ journal, rollouts: 10 }));
    const hotter = order({ journal, sampling: { temperature: 1, topP: 1, topK: 0 } });
    await expect(collectNullPool(hotter)).rejects.toMatchObject({ code: 'pool-mismatch' });
    await expect(collectNullPool(order({ journal, groups: GROUPS.slice(1) }))).rejects.toMatchObject({
      code: 'pool-mismatch',
    });
    const greedy = order({ sampling: { temperature: 0, topP: 1, topK: 0 } });
    await expect(collectNullPool(greedy)).rejects.toMatchObject({ code: 'invalid-pool' });
    await expect(readNullPool(memoryJournal())).rejects.toMatchObject({ code: 'no-pool' });
  });
});

describe('the arms of a pool', () => {
  it('are the pair and two placebos, and there are none for a prompt without a word that has a synonym', () => {
    const prompts = ARMS.map(({ harness }) => harness.files.get('prompts/system.md'));
    expect(prompts).toEqual([
      'You are a helpful assistant.\n',
      'You are a helpful assistant. \n',
      'You are a useful assistant.\n',
    ]);
    const silent = harnessFromFiles(new Map([['harness.yaml', 'name: one\n']]));
    expect(() => nullPoolArms(silent)).toThrow(/known synonym/);
  });
});

describe('searches resampled from a pool', { timeout: 120_000 }, () => {
  const options = { searches: 300, seed: 1, repeats: 1, candidates: [1, 3] };
  const collected = async (harm: number) => {
    const journal = memoryJournal();
    await collectNullPool(order({ journal }, harm));
    return readNullPool(journal);
  };

  it('accept a do-nothing diff within the error allowed, where the paper’s rule does not', async () => {
    const { cells, pool } = nullPoolReport(await collected(0), options);
    expect(pool).toMatchObject({ rollouts: 1440, groups: 40, tasks: 80, draws: 6 });
    const same = cells.filter(({ world }) => world === 'same pair');
    for (const { rule, candidates, lower95, rate } of same) {
      if (rule === 'betting') expect(lower95).toBeLessThan(0.05);
      else expect(rate).toBeGreaterThan(candidates === 1 ? 0.5 : 0.8);
    }
    expect(cells.filter(({ world }) => world === 'placebo, same seeds').map(({ candidates }) => candidates)).toEqual([
      1, 1,
    ]);
    // Of the pair alone: a third of the pool. The paper's searches take 40 groups, here all of them.
    for (const { meanRollouts, freshSearches } of same) expect(freshSearches).toBe(Math.floor(480 / meanRollouts));
  });

  it('leave out as many candidates as a task has no draws of its own for', async () => {
    const { cells } = nullPoolReport(await collected(0), { ...options, searches: 5, candidates: [5, 6] });
    expect(new Set(cells.map(({ candidates }) => candidates))).toEqual(new Set([5]));
  });

  it('tell a placebo that does harm from one that does nothing', async () => {
    const { pool } = nullPoolReport(await collected(0.3), options);
    const [pair, harmless, harmful] = pool.arms;
    expect(pair?.difference).toBeNull();
    expect(harmful?.difference?.high).toBeLessThan(0);
    expect((harmless?.difference?.low ?? 1) <= 0 && (harmless?.difference?.high ?? -1) >= 0).toBe(true);
  });

  it('need a pool in which every decision can have draws of its own', async () => {
    const journal = memoryJournal();
    await collectNullPool(order({ journal, rollouts: 240 }));
    const pool = await readNullPool(journal);
    expect(() => nullPoolReport(pool, options)).toThrow(/0 groups with 2 draws/);
  });
});

describe('co-harness lab null-pool', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'co-harness-pool-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('prints the size of the pool and measured false accepts with their bounds, as text and as JSON', async () => {
    const file = join(folder, 'pool.sqlite');
    const journal = openSqliteJournal(file);
    await collectNullPool(order({ journal, rollouts: 720 }));
    await journal.close();
    const print = async (...args: string[]) => {
      let printed = '';
      const program = new Command();
      registerLabNullPoolCommand(program, { write: (text) => (printed += text) });
      const command = ['lab', 'null-pool', file, '--searches', '20', '--candidates', '1', ...args];
      await program.parseAsync(command, { from: 'user' });
      return printed;
    };
    const report = JSON.parse(await print('--json'));
    expect(report).toMatchObject({ schema: 'co-harness/null-pool@1', alpha: 0.05, pool: { rollouts: 720, draws: 3 } });
    expect(report.cells[0]).toMatchObject({ rule: 'betting', world: 'same pair', candidates: 1, searches: 20 });
    const text = await print();
    expect(text).toContain('720 rollouts of 80 tasks in 40 groups, 3 or more draws');
    expect(text).toMatch(/\| paper \| same pair \|/);
  });
});
