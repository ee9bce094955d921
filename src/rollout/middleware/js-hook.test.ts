import { describe, expect, it } from 'vitest';
import { harnessWith, rollOut } from '../scripted-rollout.fixture.ts';

const withHook = (hook: string) =>
  rollOut(harnessWith({ 'middleware/10-hook.js': hook }), ({ messages }) => `heard ${messages.length}`);

describe('hooks that are code of φ', () => {
  it('run in the JavaScript sandbox and change the answer', async () => {
    const hook = "function finish({ answer }) { return { kind: 'use-answer', answer: answer + '!' }; }";
    expect((await withHook(hook)).answer).toBe('heard 1!');
  });

  it('reach nothing of the host: what they try is a recorded fault and the loop goes on', async () => {
    const { answer, events } = await withHook(
      "function finish() { return require('fs').readFileSync('/etc/passwd'); }",
    );
    expect(answer).toBe('heard 1');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'fault', boundary: 'middleware', problem: expect.stringContaining('require') }),
    );
  });

  it('end at their time limit', async () => {
    const { events } = await withHook('function start() { for (;;); }');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'fault', boundary: 'middleware', problem: expect.stringContaining('timeout') }),
    );
  });
});
