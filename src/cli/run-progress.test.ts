import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runProgress } from './run-progress.ts';

describe('runProgress on a terminal', () => {
  it('erases the line of a step when the step is done, so that a summary on stdout starts on a line of its own', () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const observe = runProgress(terminal as unknown as NodeJS.WriteStream);
    for (const done of [1, 2]) observe({ type: 'progress', seed: 1, round: 0, step: 'eval', done, total: 2 });
    expect(String(terminal.read())).toBe('\r\u001b[2K  eval: 1/2\r\u001b[2K');
  });
});
