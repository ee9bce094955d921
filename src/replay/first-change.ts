import { canonicalJson } from '../base/content-hash.ts';
import type { Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';

/**
 * Turn of the first model call at or after the first event in which two rollouts of one task and seed differ; null when they do not. Requests differ by
 * what is sent and said, not by limits that were not met.
 */
export function firstChangedTurn(before: Trajectory, after: Trajectory): number | null {
  const length = Math.max(before.events.length, after.events.length);
  let turn = 0;
  for (let index = 0; index < length; index++) {
    const [left, right] = [before.events[index], after.events[index]];
    const isSame = left !== undefined && right !== undefined && trace(left) === trace(right);
    if (!isSame) return turn;
    if (left.type === 'model-called') turn = left.turn + 1;
  }
  return null;
}

/** An event without what tells rollouts apart that went the same way. */
function trace(event: TrajectoryEvent): string {
  if (event.type === 'model-called') return canonicalJson([event.type, event.turnKind, event.messages, event.text]);
  const { id: _id, atMs: _atMs, ...rest } = event;
  return canonicalJson(rest);
}
