import type { Clock } from '../base/clock.ts';

/** Thrown inside the loop when the time of a rollout is over; never leaves the rollout. */
export class WallLimitReached extends Error {
  constructor() {
    super('wall limit reached');
    this.name = 'WallLimitReached';
  }
}

export interface WallLimit {
  /** Fires when the time is over or the user stops. */
  readonly signal: AbortSignal;
  isReached(): boolean;
  /** Runs `work` when the limit ends, however the rollout went. */
  atEnd(work: () => void): void;
  /** Frees the timer and the listener, and runs what `atEnd` was given. */
  end(): void;
}

/** Time of one rollout: by `clock` between calls, by a timer inside them. */
export function wallLimit(clock: Clock, startMs: number, limitMs: number, outer: AbortSignal | undefined): WallLimit {
  const controller = new AbortController();
  const abort = () => controller.abort();
  // Node's timers hold 31 bits; a longer one would fire at once.
  const timer = setTimeout(abort, Math.min(limitMs, 2 ** 31 - 1));
  if (outer?.aborted) abort();
  else outer?.addEventListener('abort', abort, { once: true });
  const endings: (() => void)[] = [];
  return {
    signal: controller.signal,
    isReached: () => clock.now() - startMs >= limitMs || (controller.signal.aborted && !outer?.aborted),
    atEnd: (work) => void endings.push(work),
    end: () => {
      for (const work of endings) work();
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
