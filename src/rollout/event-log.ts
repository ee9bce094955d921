import type { Clock } from '../base/clock.ts';
import type { TokenUsage } from '../model/model-backend.ts';
import { addUsage } from '../model/tokens-of.ts';
import type { TrajectoryEvent } from '../trajectory/trajectory.ts';

type Body<E> = E extends TrajectoryEvent ? Omit<E, 'id' | 'atMs' | 'vote'> : never;
export type EventBody = Body<TrajectoryEvent>;

/** Events of one pass of the agent loop, in order, and the tokens they used. */
export interface EventLog {
  readonly events: TrajectoryEvent[];
  readonly usage: TokenUsage;
  record(event: EventBody): void;
  count(used: TokenUsage): void;
}

/** `vote` null: no votes. */
export function eventLog(clock: Clock, startMs: number, vote: number | null): EventLog {
  const events: TrajectoryEvent[] = [];
  const usage: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  return {
    events,
    usage,
    record: (event) => {
      const stamp = { id: `e${events.length}`, atMs: Math.round(clock.now() - startMs) };
      events.push({ ...stamp, ...(vote === null ? {} : { vote }), ...event } as TrajectoryEvent);
    },
    count: (used) => addUsage(usage, used),
  };
}
