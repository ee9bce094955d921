import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/clock.ts';
import { contentHash } from '../../base/content-hash.ts';
import { harnessFromFiles } from '../../harness/parse-harness.ts';
import { scriptedBackend } from '../../model/scripted-backend.ts';
import { runRollout } from '../run-rollout.ts';

function rollOut(hook: string) {
  const files = { 'harness.yaml': 'name: demo\nlimits: { turns: 3 }\n', 'middleware/10-hook.js': hook };
  return runRollout({
    harness: harnessFromFiles(new Map(Object.entries(files))),
    model: scriptedBackend({ reply: ({ messages }) => `heard ${messages.length}` }),
    task: { id: 't', problem: 'p', answer: null, group: 'g', hash: contentHash('t') },
    split: 'train',
    repeat: 0,
    seed: 1,
    verifier: {
      version: contentHash('any'),
      verify: async (_task, answer) => ({ kind: 'scored', score: 1, extracted: answer, why: 'any' }),
    },
    sampling: null,
    clock: manualClock(),
  });
}

describe('hooks that are code of φ', () => {
  it('run in the JavaScript sandbox and change the answer', async () => {
    const hook = "function finish({ answer }) { return { kind: 'use-answer', answer: answer + '!' }; }";
    expect((await rollOut(hook)).answer).toBe('heard 1!');
  });

  it('reach nothing of the host: what they try is a recorded fault and the loop goes on', async () => {
    const { answer, events } = await rollOut("function finish() { return require('fs').readFileSync('/etc/passwd'); }");
    expect(answer).toBe('heard 1');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'fault', boundary: 'middleware', problem: expect.stringContaining('require') }),
    );
  });

  it('end at their time limit', async () => {
    const { events } = await rollOut('function start() { for (;;); }');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'fault', boundary: 'middleware', problem: expect.stringContaining('timeout') }),
    );
  });
});
