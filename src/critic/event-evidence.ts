import type { Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';

export type EventType = TrajectoryEvent['type'];
export type EventOf<Type extends EventType> = Extract<TrajectoryEvent, { type: Type }>;

/** Events of one type, in order. */
export function eventsOf<Type extends EventType>(trajectory: Trajectory, type: Type): EventOf<Type>[] {
  return trajectory.events.filter((event): event is EventOf<Type> => event.type === type);
}

export function lastEventOf<Type extends EventType>(trajectory: Trajectory, type: Type): EventOf<Type> | undefined {
  return eventsOf(trajectory, type).at(-1);
}

/** Whether an event of `type` comes after `event`. */
export function isFollowedBy(trajectory: Trajectory, event: TrajectoryEvent, type: EventType): boolean {
  const index = trajectory.events.indexOf(event);
  return trajectory.events.slice(index + 1).some((later) => later.type === type);
}

/** The model call of a turn. */
export function modelCallOf(trajectory: Trajectory, turn: number): EventOf<'model-called'> | undefined {
  return eventsOf(trajectory, 'model-called').find((event) => event.turn === turn && event.turnKind !== 'summary');
}

const QUOTE_CHARACTERS = 160;

/** An evidence entry: the event's id and at most 160 characters of what it shows, on one line. */
export function evidence(event: TrajectoryEvent, text: string): { event: string; quote: string } {
  const line = text.replace(/\s+/g, ' ').trim();
  return { event: event.id, quote: line.length <= QUOTE_CHARACTERS ? line : `${line.slice(0, QUOTE_CHARACTERS - 1)}…` };
}

/** Whether two answers say the same thing on the surface: equal as numbers, or as text without case, spaces and closing marks. */
export function isSameValue(left: string, right: string): boolean {
  const plain = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .replace(/[.!]+$/, '');
  if (plain(left) === plain(right)) return true;
  const number = (text: string) =>
    /^[-+]?[\d,]*\.?\d+(e[-+]?\d+)?$/i.test(plain(text)) ? Number(plain(text).replaceAll(',', '')) : Number.NaN;
  return number(left) === number(right);
}

/** Whether a text holds a value as a word or number of its own, white space aside: `7` in `It is 7.`, not in `67`, `7.5`, `-7` or `7,000`. */
export function holdsWord(text: string, value: string): boolean {
  const plain = (written: string) => written.replace(/\s+/g, ' ').trim();
  const word = RegExp.escape(plain(value));
  const before = '(?<![\\p{L}\\p{N}_])(?<!\\p{N}[.,])(?<!(?<!\\p{N})-)';
  return word !== '' && new RegExp(`${before}${word}(?![\\p{L}\\p{N}_]|[.,]\\p{N})`, 'iu').test(plain(text));
}
