import type { Trajectory } from '../trajectory/trajectory.ts';
import { type EventOf, eventsOf } from './event-evidence.ts';

/** Everything that one request sent, as one text. */
export function sentText(call: EventOf<'model-called'>): string {
  return call.messages.map(({ content }) => content).join('\n');
}

/** The first request of a rollout that could call tools. */
export function firstRequest(trajectory: Trajectory): EventOf<'model-called'> | undefined {
  return eventsOf(trajectory, 'model-called').find(({ turnKind }) => turnKind === 'working');
}

/** The request after a turn, where there is one. */
export function requestAfter(trajectory: Trajectory, turn: number): EventOf<'model-called'> | undefined {
  return eventsOf(trajectory, 'model-called').find((event) => event.turn > turn);
}

/** Whether a text holds another one, white space aside. */
export function holds(text: string, part: string): boolean {
  const plain = (value: string) => value.replace(/\s+/g, ' ').trim();
  return plain(text).includes(plain(part));
}
