import { describe, expect, it } from 'vitest';
import { manualClock } from '../base/clock.ts';
import { contentHash } from '../base/content-hash.ts';
import { AbortedError } from '../base/errors.ts';
import { memoryJournal } from '../base/journal.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { GenerationRequest } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import { scriptedBackend } from '../model/scripted-backend.ts';
import type { Verifier } from '../task/verifier.ts';
import { rolloutIdentity, rolloutKey } from './rollout-identity.ts';
import type { RolloutJob } from './rollout-job.ts';
import { runBatch } from './run-batch.ts';

const harness = harnessFromFiles(
  new Map([
    ['harness.yaml', 'name: demo\n'],
    ['retry.yaml', 'modelErrors: 0\n'],
  ]),
);
const verifier: Verifier = {
  version: contentHash('same'),
  verify: async (task, answer) => ({
    kind: 'scored',
    score: answer === task.answer ? 1 : 0,
    extracted: answer,
    why: '',
  }),
};

function world(reply: (request: GenerationRequest) => string | Promise<string> = () => 'yes', concurrency = 4) {
  const asked: string[] = [];
  const model = scriptedBackend({
    concurrency,
    reply: (request) => {
      asked.push(request.messages.at(-1)?.content ?? '');
      return reply(request);
    },
  });
  const job = (name: string, changes: Partial<RolloutJob> = {}): RolloutJob => ({
    harness,
    model,
    task: { id: name, problem: name, answer: 'yes', group: name, hash: contentHash(name) },
    split: 'train',
    repeat: 0,
    seed: 1,
    verifier,
    sampling: null,
    clock: manualClock(),
    ...changes,
  });
  return { asked, job };
}

describe('runBatch', () => {
  it('returns trajectories in job order, whatever order they finish in', async () => {
    const { job } = world(async ({ messages }) => {
      await new Promise((resolve) => setTimeout(resolve, messages[0]?.content === 'a' ? 20 : 1));
      return 'yes';
    });
    const trajectories = await runBatch([job('a'), job('b'), job('c')], { journal: memoryJournal() });
    expect(trajectories.map(({ taskId }) => taskId)).toEqual(['a', 'b', 'c']);
  });

  it('has as many rollouts in flight as φ asks for, those of another number by themselves', async () => {
    let running = 0;
    const most: Record<string, number> = {};
    const seen: number[] = [];
    const { job } = world(async ({ messages }) => {
      const name = (messages.at(-1)?.content ?? '').slice(0, 1);
      most[name] = Math.max(most[name] ?? 0, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      return 'yes';
    });
    const asking = (inFlight: number) =>
      harnessFromFiles(new Map([['harness.yaml', `name: demo\nbatching: { inFlight: ${inFlight} }\n`]]));
    const jobs = Array.from({ length: 18 }, (_, index) => {
      const [name, phi] = (
        [
          ['a', asking(1)],
          ['b', asking(3)],
          ['c', harness],
        ] as const
      )[index % 3] ?? ['c', harness];
      return job(`${name}${index}`, { harness: phi });
    });
    await runBatch(jobs, { journal: memoryJournal(), onProgress: ({ inFlight }) => seen.push(inFlight) });
    expect(most).toEqual({ a: 1, b: 3, c: 4 });
    expect(Math.max(...seen)).toBe(4);
  });

  it('buys nothing twice: not in one batch, not from a journal that has it', async () => {
    const { asked, job } = world();
    const journal = memoryJournal();
    const [first, again] = await runBatch([job('a'), job('a'), job('b')], { journal });
    expect(asked).toEqual(['a', 'b']);
    expect(again).toBe(first);
    const reused: boolean[] = [];
    const resumed = await runBatch([job('b'), job('a'), job('c')], {
      journal,
      onProgress: ({ isReused }) => reused.push(isReused),
    });
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(resumed[1]).toEqual(first);
    expect(reused.sort()).toEqual([false, true, true]);
  });

  it('never serves a rollout of another split, repeat, seed, sampling or task content', async () => {
    const { asked, job } = world();
    const sampling = { temperature: 1, topP: 1, topK: 0 };
    const jobs = [
      job('a'),
      job('a', { split: 'gate' }),
      job('a', { repeat: 1 }),
      job('a', { seed: 2 }),
      job('a', { sampling }),
      job('b'),
    ];
    await runBatch(jobs, { journal: memoryJournal() });
    expect(asked).toHaveLength(jobs.length);
  });

  it('returns an unscored rollout but does not store it, so that the next run tries again', async () => {
    let isDown = true;
    const { job } = world(() => {
      if (isDown) throw new ProviderError('unreachable', 'down');
      return 'yes';
    });
    const journal = memoryJournal();
    const [failed] = await runBatch([job('a')], { journal });
    expect(failed?.outcome).toMatchObject({ kind: 'unscored' });
    expect(await journal.entries()).toEqual([]);
    isDown = false;
    expect((await runBatch([job('a')], { journal }))[0]?.outcome).toMatchObject({ kind: 'scored', score: 1 });
    const [entry] = await journal.entries('rollout');
    expect(entry?.key).toBe(rolloutKey(rolloutIdentity(job('a'))));
  });

  it('on abort keeps what is finished, cancels what is in flight and starts nothing new', async () => {
    const controller = new AbortController();
    const reply = ({ messages }: GenerationRequest) =>
      messages[0]?.content === 'a' ? 'yes' : new Promise<never>(() => {});
    const { asked, job } = world(reply, 1);
    const journal = memoryJournal();
    const running = runBatch([job('a'), job('b'), job('c')], { journal, signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await expect(running).rejects.toBeInstanceOf(AbortedError);
    expect(asked).toEqual(['a', 'b']);
    expect((await journal.entries()).length).toBe(1);
  });

  it('writes the same journal each time with one worker and a scripted model', async () => {
    const contents = async () => {
      const { job } = world(undefined, 1);
      const journal = memoryJournal();
      await runBatch([job('b'), job('a'), job('b')], { journal });
      return JSON.stringify(await journal.entries());
    };
    expect(await contents()).toBe(await contents());
  });

  it('survives an observer that throws', async () => {
    const { job } = world();
    const onProgress = () => {
      throw new Error('observer');
    };
    expect(await runBatch([job('a')], { journal: memoryJournal(), onProgress })).toHaveLength(1);
  });
});
