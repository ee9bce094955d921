import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.ts';

describe('runCommand', () => {
  it('ends with the program, whatever that leaves running with its output open', async () => {
    const started = performance.now();
    const { code, stdout } = await runCommand('/bin/sh', ['-c', 'sleep 60 & echo $!; exit 3']);
    process.kill(Number(stdout), 'SIGKILL');
    expect(code).toBe(3);
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
