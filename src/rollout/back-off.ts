import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedError } from '../base/errors.ts';
import type { HarnessRetry } from '../harness/harness.ts';

/** Milliseconds before try `attempt` (1 = the first again): what was asked for, else φ's back-off; never more than its longest pause. */
export function pauseBefore(attempt: number, { pause }: HarnessRetry, askedMs?: unknown): number {
  const grown = pause.firstMs * pause.factor ** (attempt - 1);
  return Math.min(pause.longestMs, typeof askedMs === 'number' && askedMs > 0 ? askedMs : grown);
}

/** Rejects with AbortedError when `signal` fires. */
export async function backOff(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (cause) {
    if (signal?.aborted) throw new AbortedError();
    throw cause;
  }
}
