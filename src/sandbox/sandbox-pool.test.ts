import { describe, expect, it } from 'vitest';
import { AbortedError } from '../base/errors.ts';
import type { Guest } from './guest.ts';
import { pooledSandbox } from './sandbox-pool.ts';

const LIMITS = { wallMs: 60_000, memoryBytes: 1 << 20, outputCharacters: 100 };

describe('a pool of guests', () => {
  it('does not run the code of a caller who stopped while the guest was being started', async () => {
    const ran: string[] = [];
    const controller = new AbortController();
    const guest: Guest = {
      isAlive: () => true,
      run: async (task) => {
        ran.push(task.kind === 'script' ? task.code : task.kind);
        return { kind: 'ok', value: '', output: '' };
      },
      renew: async () => true,
      end: async () => undefined,
    };
    const start = async () => {
      controller.abort();
      return guest;
    };
    const sandbox = pooledSandbox({ start, most: 1, spares: 1 });

    await expect(sandbox.run('while True: pass', { ...LIMITS, signal: controller.signal })).rejects.toThrow(
      AbortedError,
    );
    expect(await sandbox.run('1', LIMITS)).toMatchObject({ kind: 'ok' });
    expect(ran).toEqual(['1']);
    await sandbox.close();
  });
});
