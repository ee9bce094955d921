import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { readHarness } from '../../src/harness/harness-folder.ts';
import { scriptedBackend } from '../../src/model/scripted-backend.ts';
import { runRollout } from '../../src/rollout/run-rollout.ts';
import { functionCallVerifier } from '../../src/task/function-call-verifier.ts';
import { type TaskRow, taskHash } from '../../src/task/task.ts';
import { mapRow } from './map-row.ts';

const functions = [
  {
    name: 'weather',
    description: 'Weather in a city',
    parameters: { type: 'dict', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];
const irrelevant = { id: 'sing', problem: 'Sing a song!', functions, answer: [] };
const relevant = { id: 'paris', problem: 'Weather in Paris?', functions, answer: [{ weather: { city: ['Paris'] } }] };

const CALL = '{"name": "weather", "arguments": {"city": "Paris"}}';
const SILENCE = 'None of these functions can do that.';

async function scoreOf(row: object, reply: string) {
  const task = mapRow(row) as TaskRow;
  const { outcome } = await runRollout({
    harness: await readHarness(new URL('./harness', import.meta.url).pathname),
    model: scriptedBackend({ reply: () => reply }),
    task: { ...task, hash: taskHash(task), group: task.id },
    split: 'train',
    repeat: 0,
    seed: 1,
    verifier: functionCallVerifier(),
    sampling: null,
    clock: systemClock,
  });
  return outcome.kind === 'scored' ? outcome.score : outcome.why;
}

describe('a request that no function fits', () => {
  it('is solved by a reply without a call, and by no call at all', async () => {
    expect(await scoreOf(irrelevant, SILENCE)).toBe(1);
    expect(await scoreOf(irrelevant, CALL)).toBe(0);
  });

  it('is told apart from one that needs a call: silence earns nothing there', async () => {
    expect(await scoreOf(relevant, CALL)).toBe(1);
    expect(await scoreOf(relevant, SILENCE)).toBe(0);
  });
});
