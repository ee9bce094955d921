import { describe, expect, it } from 'vitest';
import { manualClock } from '../base/clock.ts';
import { memoryJournal } from '../base/journal.ts';
import { seedFrom } from '../base/random.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import { bettingInterval } from '../statistics/betting-confidence-sequence.ts';
import { numericVerifier } from '../task/numeric-verifier.ts';
import { type Task, taskHash } from '../task/task.ts';
import { runNull } from './null-runs.ts';

const HARNESS = harnessFromFiles(new Map([['harness.yaml', 'name: one\n']]));
const TASKS: Task[] = Array.from({ length: 120 }, (_, index) => {
  const row = { id: `t${index}`, problem: `Task number ${index}?`, answer: '1' };
  return { ...row, hash: taskHash(row), group: `g${index}` };
});

const order = (temperature: number, journal = memoryJournal()) => ({
  harness: HARNESS,
  // Right half of the time, by the seed where there is one.
  model: scriptedBackend({
    reply: ({ messages, seed, sampling }) =>
      `${seedFrom('luck', sampling.temperature === 0 ? 0 : seed, messages.at(-1)?.content ?? '') % 2}`,
  }),
  groups: TASKS.map((task) => [task]),
  repeats: 2,
  sampling: { temperature, topP: 1, topK: 0 },
  seed: 1,
  verifier: numericVerifier(),
  journal,
  clock: manualClock(),
  signal: new AbortController().signal,
  onProgress: () => {},
});

describe('runNull', () => {
  it('measures how much a pair differs from itself by luck', async () => {
    const measured = await runNull(order(0.7));
    expect(measured).toMatchObject({ greedy: false, groups: 120, pairs: 240, unscored: 0 });
    expect(measured.discordance).toBeGreaterThan(0.4);
    expect(measured.discordance).toBeLessThan(0.6);
    // Two repeats of a fair coin in each arm; both repeats share the seed's luck here only if the engine says so.
    expect(measured.groupVariance).toBeGreaterThan(0.15);
    expect(measured.low <= 0 && 0 <= measured.high).toBe(true);
    expect(measured.bands.map(({ candidates }) => candidates)).toEqual([1, 3, 10]);
    expect(measured.bands[2]?.upper95).toBeGreaterThan(measured.bands[0]?.upper95 ?? 1);
  });

  it('shows no difference at all where the pair is greedy, and says so', async () => {
    expect(await runNull(order(0))).toMatchObject({ greedy: true, discordance: 0, groupVariance: 0, mean: 0 });
  });

  it('sizes the bets of its interval by what was assumed before, not by the outcomes that it bounds', async () => {
    const { low, high } = await runNull(order(0));
    // Two repeats of a task that is solved four times in five, and the usual spread of an effect.
    const assumed = { observations: 120, variance: 0.32 / 2 + 0.01 };
    const ties = Array.from({ length: 120 }, () => 0);
    expect({ low, high }).toEqual(bettingInterval(ties, 0.95, assumed));
  });

  it('buys nothing again that its journal holds', async () => {
    const journal = memoryJournal();
    const first = await runNull(order(0.7, journal));
    let bought = 0;
    const onProgress = ({ isReused }: { isReused: boolean }) => {
      if (!isReused) bought++;
    };
    expect(await runNull({ ...order(0.7, journal), onProgress })).toEqual(first);
    expect(bought).toBe(0);
  });
});
