import type { Episode } from './episode.ts';
import type { EventLog } from './event-log.ts';

/**
 * What it was that ran out of time after `turn` model calls: the engine (`isEngineFault`), which leaves nothing to score, or φ. An engine that did not say that it failed may have been
 * busy with what φ asked of it.
 */
export function timeIsOver(
  { record, events }: EventLog,
  { turn, isEngineFault, wallMs }: { turn: number; isEngineFault: boolean; wallMs: number },
): Pick<Episode, 'wallLimitReached' | 'fault'> {
  if (!isEngineFault) {
    record({ type: 'wall-limit-reached', turn });
    return { wallLimitReached: true, fault: null };
  }
  const problem = `the model engine gave nothing within ${wallMs} ms (limits.wallMs)`;
  const fault = { boundary: 'provider', problem } as const;
  const cause = isEngineFailing(events) ? {} : ({ cause: 'slow-generation' } as const);
  record({ type: 'fault', ...fault });
  return { wallLimitReached: false, fault: { ...fault, ...cause } };
}

/** Whether the last thing that happened is a failure of the engine: it is still failing, or another try is under way. */
export function isEngineFailing(events: EventLog['events']): boolean {
  const last = events.findLast(({ type }) => type !== 'retried');
  return last?.type === 'fault' && last.boundary === 'provider';
}
