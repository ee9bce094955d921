import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { contentHash } from '../src/base/content-hash.ts';
import { readHarness } from '../src/harness/harness-folder.ts';
import { scriptedBackend } from '../src/model/scripted-backend.ts';
import { programRunner } from '../src/rollout/program/program-runner.ts';
import { runRollout } from '../src/rollout/run-rollout.ts';

const directory = join(import.meta.dirname, '..', 'examples', 'own-agent');
const runner = programRunner({ kind: 'command', command: [process.execPath, 'agent.mjs'], directory });
afterAll(() => runner.close());

describe('the agent of examples/own-agent, written with the AI SDK', { timeout: 240_000 }, () => {
  it('solves a task with φ’s instructions through the metered model, and its tool calls stand in the trajectory', async () => {
    const trajectory = await runRollout({
      harness: await readHarness(join(directory, 'harness')),
      model: scriptedBackend({
        reply: ({ messages }) => {
          if (!messages[0]?.content.startsWith('Solve the problem.')) return 'no instructions';
          const result = /^Result: (.*)$/.exec(messages.at(-1)?.content ?? '')?.[1];
          return result ?? 'PRODUCT 6 7';
        },
      }),
      task: { id: 't', problem: 'Six boxes hold seven eggs each.', answer: 42, group: 'g', hash: contentHash('eggs') },
      split: 'train',
      repeat: 0,
      seed: 1,
      verifier: {
        version: contentHash('exact'),
        verify: async (task, answer) => ({
          kind: 'scored',
          score: answer === String(task.answer) ? 1 : 0,
          extracted: answer,
          why: 'exact',
        }),
      },
      sampling: null,
      clock: systemClock,
      runner,
    });
    expect(trajectory.outcome).toMatchObject({ kind: 'scored', score: 1, extracted: '42' });
    expect(trajectory.events.map(({ type }) => type)).toEqual([
      'model-called',
      'call-parsed',
      'tool-returned',
      'model-called',
      'answered',
    ]);
    expect(trajectory.events[0]).toMatchObject({ completionTokenIds: expect.any(Array) });
  });
});
