import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { type Journal, memoryJournal } from '../base/journal.ts';
import type { SealedTest } from '../evolution/sealed-test.ts';
import { planKey } from '../evolution/size-plan.ts';
import { type Pair, pairHash } from '../registry/version.ts';
import { readReport } from './report-data.ts';

const base = contentHash('base');
const pairOf = (harness: string): Pair => ({ harness: contentHash(harness), model: { base, adapter: null } });

/** The sealed test of a seed whose champion was, at the end of each round from 0 on, the pair with the harness named; all solve `correct` of 10. */
async function writeTest(journal: Journal, seed: number, ends: string[], correct = 5): Promise<void> {
  const pairs = [...new Set(ends)].map(pairOf);
  const value: SealedTest = {
    seed,
    rounds: ends.map((name, round) => {
      const { harness, model } = pairOf(name);
      return { round, version: round, harness, model: contentHash(model) };
    }),
    results: pairs.map((pair) => ({
      seed,
      pair,
      harnessVersion: 0,
      modelVersion: 0,
      seconds: 10,
      rollouts: Array.from({ length: 10 }, (_, task) => ({
        task: `t${task}`,
        group: `g${task}`,
        score: task < correct ? 1 : 0,
        tokens: 100,
      })),
    })),
  };
  await journal.put({ key: contentHash(['test', seed]), kind: 'sealed-test', value });
}

const hashOf = (name: string) => pairHash(pairOf(name));

describe('a report over several seeds', () => {
  it('names what all seeds share, and null where their pairs differ, with the pairs of each seed beside it', async () => {
    const journal = memoryJournal();
    await writeTest(journal, 1, ['start', 'one']);
    await writeTest(journal, 2, ['start', 'two']);
    const { pairs, seeds } = await readReport(journal, 'run');
    const shared = { pair: hashOf('start'), harness: contentHash('start'), pooled: [hashOf('start'), hashOf('start')] };
    const model = contentHash(pairOf('one').model);
    expect(pairs).toHaveLength(2);
    expect(pairs[0]).toMatchObject({ round: 0, ...shared });
    const pooled = [hashOf('one'), hashOf('two')];
    expect(pairs[1]).toMatchObject({ round: 1, pair: null, harness: null, model, pooled, scored: 20 });
    expect(seeds[1]?.pairs[1]).toMatchObject({ pair: hashOf('two'), pooled: [hashOf('two')] });
  });
});

describe('the front of a report', () => {
  it('holds a pair once that stayed champion over rounds, and two pairs that tie', async () => {
    const journal = memoryJournal();
    await writeTest(journal, 1, ['start', 'one', 'one']);
    const { front, pairs } = await readReport(journal, 'run');
    expect(pairs.map(({ round }) => round)).toEqual([0, 1, 2]);
    expect(front.map(({ pair, round }) => [pair, round])).toEqual([
      [hashOf('start'), 0],
      [hashOf('one'), 1],
    ]);
  });
});

describe('a round in which nothing was tried', () => {
  it('is one whose every plan got no task; with one task somewhere, or without a plan, it is not', async () => {
    const journal = memoryJournal();
    const plan = (round: number, phase: string, value: Record<string, number>, more = {}) =>
      journal.put({ key: planKey(1, { phase, round, ...more }), kind: 'plan', value });
    await writeTest(journal, 1, ['start', 'start', 'start', 'start', 'start']);
    await plan(1, 'harness', { miningTasks: 0 }, { iteration: 1 });
    await plan(1, 'weights', { sampleTasks: 1 });
    await plan(2, 'harness', { miningTasks: 0 }, { iteration: 1 });
    await plan(2, 'weights', { sampleTasks: 0 });
    await plan(3, 'harness', { miningTasks: 0 }, { iteration: 1 });
    await plan(3, 'harness', { miningTasks: 24 }, { iteration: 2 });
    const { seeds } = await readReport(journal, 'run');
    expect(seeds[0]?.untried).toEqual([2]);
  });
});
