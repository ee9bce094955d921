/** Milliseconds since an arbitrary start, and wall time: both are parameters, so that tests own time. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** ISO 8601, UTC. */
  timestamp(): string;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  timestamp: () => new Date().toISOString(),
};

/** A clock that stands still until `advance` is called. */
export function manualClock(start = 0): Clock & { advance(ms: number): void } {
  let current = start;
  return {
    now: () => current,
    timestamp: () => new Date(current).toISOString(),
    advance: (ms) => {
      current += ms;
    },
  };
}
