import { setTimeout as delay } from 'node:timers/promises';
import { AbortedError } from '../base/errors.ts';
import { WakeQueue } from './wake-queue.ts';

/**
 * One per endpoint, shared by all who call it: how many requests may be on the way, which is the most that one of them asked for, and until when nobody
 * may send. Each `rateLimited` halves the concurrency (not below 1), each success adds a little back.
 */
export class EndpointLimiter {
  #most: number;
  #allowed: number;
  #running = 0;
  #pausedUntil = 0;
  readonly #changes = new WakeQueue();

  constructor(concurrency: number) {
    this.#most = concurrency;
    this.#allowed = concurrency;
  }

  /** Another caller wants so many on the way. What the server has refused meanwhile is won back by successes alone. */
  widenTo(concurrency: number): void {
    if (concurrency <= this.#most) return;
    if (this.#allowed === this.#most) this.#allowed = concurrency;
    this.#most = concurrency;
    this.#changes.wake();
  }

  /** Requests that may be on the way now. */
  get allowed(): number {
    return Math.floor(this.#allowed);
  }

  /** Waits for a place and for the end of a pause; `leave` must follow. Rejects with AbortedError when `signal` fires, and then holds no place. */
  async enter(signal: AbortSignal | undefined): Promise<void> {
    while (true) {
      if (signal?.aborted) throw new AbortedError();
      const pause = this.#pausedUntil - performance.now();
      if (pause > 0) await sleep(pause, signal);
      else if (this.#running < this.allowed) break;
      else await this.#changes.wait(signal);
    }
    this.#running++;
  }

  leave(succeeded: boolean): void {
    this.#running--;
    if (succeeded) this.#allowed = Math.min(this.#most, this.#allowed + 1 / Math.max(1, this.#allowed));
    this.#changes.wake();
  }

  /** The server asked for a pause of so many milliseconds. */
  rateLimited(pauseMs: number): void {
    // Up to a tenth longer, so that many processes do not come back in the same instant.
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + pauseMs * (1 + Math.random() / 10));
    this.#allowed = Math.max(1, this.#allowed / 2);
  }
}

async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    throw new AbortedError();
  }
}
