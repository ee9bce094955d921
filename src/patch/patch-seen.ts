import { canonicalJson } from '../base/content-hash.ts';
import type { Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';
import type { Patch } from './patch.ts';

export interface PatchSeen {
  alive: boolean;
  /** One sentence: what was seen, or looked for in vain. */
  why: string;
}

/**
 * Whether a patch acted in the child's rollouts, judged by its own probe. Comparing probes look at rollouts of the same task and seed (a greedy one has any); where no
 * such pair exists nothing was seen. `inFlight`: the most rollouts at once in each arm, where the arms ran apart. A patch that is not alive is `dead`, whatever the score did.
 */
export function patchSeen(
  patch: Pick<Patch, 'probe'>,
  parentTrajectories: readonly Trajectory[],
  childTrajectories: readonly Trajectory[],
  inFlight?: { parent: number; child: number },
): PatchSeen {
  const { probe } = patch;
  if (probe.kind === 'in-flight-changed') return otherInFlight(inFlight);
  if (probe.kind === 'event-seen') {
    const isIt = (event: TrajectoryEvent) =>
      event.type === probe.event &&
      (probe.action === undefined || ('action' in event && event.action === probe.action));
    const count = childTrajectories.filter(({ events }) => events.some(isIt)).length;
    const what = probe.action === undefined ? probe.event : `${probe.event} (${probe.action})`;
    return seen(count, childTrajectories.length, `show the event ${what}`);
  }
  if (probe.kind === 'hook-fired') {
    const fired = ({ events }: Trajectory) =>
      events.some((event) => event.type === 'middleware-acted' && event.middleware === probe.middleware);
    const count = childTrajectories.filter(fired).length;
    return seen(count, childTrajectories.length, `show the middleware ${probe.middleware} act`);
  }
  if (probe.kind === 'tool-called') {
    const isCalled = ({ events }: Trajectory) =>
      events.some((event) => event.type === 'call-parsed' && event.call.tool === probe.tool);
    return seen(childTrajectories.filter(isCalled).length, childTrajectories.length, `call the tool ${probe.tool}`);
  }
  const pairs = pairsOf(parentTrajectories, childTrajectories);
  const trace = probe.kind === 'prompt-changed' ? messagesOf : settingsOf;
  const changed = pairs.filter(([parent, child]) => trace(parent) !== trace(child)).length;
  const what = probe.kind === 'prompt-changed' ? 'were sent other messages' : 'ran under visibly other settings';
  return seen(changed, pairs.length, `${what} than the parent's`);
}

function otherInFlight(inFlight: { parent: number; child: number } | undefined): PatchSeen {
  if (inFlight === undefined)
    return { alive: false, why: 'The arms did not run apart: nobody saw how many rollouts were in flight.' };
  const { parent, child } = inFlight;
  return { alive: child !== parent, why: `${child} child rollouts were in flight at once, ${parent} of the parent.` };
}

function seen(count: number, of: number, what: string): PatchSeen {
  return { alive: count > 0, why: `${count} of ${of} child rollouts ${what}.` };
}

function pairsOf(parents: readonly Trajectory[], children: readonly Trajectory[]): [Trajectory, Trajectory][] {
  const place = ({ identity }: Trajectory) => canonicalJson([identity.task, identity.split, identity.repeat]);
  const byPlace = Map.groupBy(parents, place);
  return children.flatMap((child) => {
    const isComparable = (parent: Trajectory) =>
      parent.identity.seed === child.identity.seed || isGreedy(parent) || isGreedy(child);
    const parent = byPlace.get(place(child))?.find(isComparable);
    return parent === undefined ? [] : [[parent, child] as [Trajectory, Trajectory]];
  });
}

/** Whether its seed played no part: the loop gives such rollouts one of their own. */
function isGreedy({ events }: Trajectory): boolean {
  return events.every((event) => event.type !== 'model-called' || event.sampling.temperature === 0);
}

/** Messages of all model calls: prompts of later turns (final turn, error feedback, tool result) count too. */
function messagesOf({ events }: Trajectory): string {
  return canonicalJson(events.flatMap((event) => (event.type === 'model-called' ? [event.messages] : [])));
}

/** What a setting can change in the record: limits, stop strings and sampling of the requests, the answer's source, the course of events. */
function settingsOf({ events }: Trajectory): string {
  return canonicalJson(
    events.map((event) => {
      if (event.type === 'model-called') return [event.turnKind, event.maxTokens, event.stop, event.sampling];
      if (event.type === 'middleware-acted') return [event.type, event.middleware, event.action];
      return event.type === 'answered' ? [event.type, event.from] : event.type;
    }),
  );
}
