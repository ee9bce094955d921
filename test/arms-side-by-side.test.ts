import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as settled } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock } from '../src/base/clock.ts';
import { patchFor, playGateWorld, type Question, rightFor, saying } from './scripted-world/gate-world.ts';
import { sumTasks } from './scripted-world/scripted-world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-side-by-side-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** One machine for all rollouts in flight: each gets an equal share of it, so that one that runs alone is many times as fast. */
function sharedMachine(clock: ReturnType<typeof manualClock>) {
  const running = new Set<{ left: number; done: () => void }>();
  let isTurning = false;
  const turn = async () => {
    isTurning = true;
    while (running.size > 0) {
      // What an answer sets off comes first.
      await settled();
      const [next] = [...running].sort((a, b) => a.left - b.left);
      if (next === undefined) break;
      const step = next.left;
      clock.advance(step * running.size);
      for (const job of running) job.left -= step;
      running.delete(next);
      next.done();
      await settled();
    }
    isTurning = false;
  };
  return (work: number) =>
    new Promise<void>((done) => {
      running.add({ left: work, done });
      if (!isTurning) void turn();
    });
}

describe('both arms of a gate', { timeout: 240_000 }, () => {
  it('start task by task, the first of a pair changing', async () => {
    const gate = new Set(sumTasks(120).map(({ problem }) => problem));
    const started: { problem: string; isChild: boolean }[] = [];
    await playGateWorld(join(folder, 'order'), {
      answer: (question) => {
        const isChild = question.before.includes('Be exact.');
        if (gate.has(question.problem)) started.push({ problem: question.problem, isChild });
        const rate = gate.has(question.problem) || !isChild ? 0.4 : 0.9;
        return rightFor(rate, question);
      },
      proposals: [(harness) => [saying('Be exact.')(harness)]],
    });
    const pairs = Array.from({ length: started.length / 2 }, (_, index) => started.slice(2 * index, 2 * index + 2));
    expect(pairs.length).toBeGreaterThan(20);
    for (const [one, other] of pairs) {
      expect(other).toEqual({ problem: one?.problem, isChild: !one?.isChild });
    }
    const first = pairs.slice(0, 10).map(([one]) => one?.isChild);
    expect(first).toEqual(first.map((_, index) => index % 2 === 1));
  });

  it('meet the same load: a saving that saves nothing is not faster', async () => {
    const clock = manualClock();
    const machine = sharedMachine(clock);
    const gateTasks = 400;
    const gate = new Set(sumTasks(gateTasks).map(({ problem }) => problem));
    const LONG = `Add numbers. ${'Please be so kind as to take your time. '.repeat(10)}\n`;
    const { versions } = await playGateWorld(join(folder, 'load'), {
      files: { 'harness.yaml': 'name: sums\nlimits: { tokensPerTurn: 2000 }\n', 'prompts/system.md': LONG },
      config: { gate: { margin: 0.08 }, budget: { time: 10_000_000 } },
      gateTasks,
      concurrency: 16,
      clock,
      isTrainLuck: (luck) => luck < 0.45 || luck > 0.55,
      proposals: [
        (harness) => [patchFor(harness, [{ path: 'prompts/system.md', old: LONG, value: 'Add numbers.\n' }])],
      ],
      answer: async (question: Question) => {
        await machine(10 + 10 * question.luck);
        // What the shorter prompt saves on gate tasks goes into a longer answer.
        const isLonger = gate.has(question.problem) && !question.before.includes('kind');
        return `${isLonger ? 'Well. '.repeat(100) : ''}${rightFor(0.5, question)}`;
      },
    });
    expect(versions[1]?.decision?.seconds?.child).toBeGreaterThan(0);
    expect(versions[1]).toMatchObject({ verdict: 'reject', reason: 'no-gain', accepted: false });
  });
});
