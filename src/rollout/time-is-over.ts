import type { Episode } from './episode.ts';
import type { EventLog } from './event-log.ts';

/** What it was that ran out of time after `turn` model calls: the engine (`isEngineFault`), which leaves nothing to score, or φ. */
export function timeIsOver(
  { record }: EventLog,
  { turn, isEngineFault, wallMs }: { turn: number; isEngineFault: boolean; wallMs: number },
): Pick<Episode, 'wallLimitReached' | 'fault'> {
  if (!isEngineFault) {
    record({ type: 'wall-limit-reached', turn });
    return { wallLimitReached: true, fault: null };
  }
  const problem = `the model engine gave nothing within ${wallMs} ms (limits.wallMs)`;
  const fault = { boundary: 'provider', problem } as const;
  record({ type: 'fault', ...fault });
  return { wallLimitReached: false, fault };
}
