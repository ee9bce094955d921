/** A share as a percentage: 0.123 → `12.3%`. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** A size in percentage points: 0.05 → `5.0 pp`; what rounds to nothing has no sign. */
export function points(size: number): string {
  return `${(size * 100).toFixed(1).replace('-0.0', '0.0')} pp`;
}

/** A change in percentage points, gains with their sign: 0.05 → `+5.0 pp`. */
export function signedPoints(change: number): string {
  return `${change > 0 ? '+' : ''}${points(change)}`;
}
