/** One pair on the same tasks as the others. */
export interface ParetoPoint {
  /** Share of tasks solved, in [0, 1]; higher is better. */
  quality: number;
  /** Per task; lower is better. */
  tokens: number;
  seconds: number;
}

/**
 * The points that no other one beats: at least as good in quality, tokens and seconds, and better in one. Best quality first; of equal ones, the
 * cheaper first. Points that are equal in all three stay together.
 */
export function paretoFront<T extends ParetoPoint>(points: readonly T[]): T[] {
  return points
    .filter((point) => !points.some((other) => beats(other, point)))
    .sort((a, b) => b.quality - a.quality || a.tokens - b.tokens || a.seconds - b.seconds);
}

function beats(one: ParetoPoint, other: ParetoPoint): boolean {
  const atLeast = one.quality >= other.quality && one.tokens <= other.tokens && one.seconds <= other.seconds;
  return atLeast && (one.quality > other.quality || one.tokens < other.tokens || one.seconds < other.seconds);
}
