import type { Clock } from '../../base/clock.ts';

/**
 * What one comparison may take. `characters` of the answer itself (not of the text around it), `nesting` of brackets, `nodes` of the expression tree of
 * one side, `integerBits` of any integer that a side's value needs, `milliseconds` in all. Beyond one of them nothing is decided.
 */
export const ANSWER_LIMITS = {
  characters: 4_096,
  nesting: 64,
  nodes: 512,
  integerBits: 4_096,
  milliseconds: 2_000,
} as const;

/** Steps of about a microsecond. Reached before the wall-clock limit on any usual machine, so that verdicts do not depend on its speed. */
const MOST_STEPS = 1_500_000;
const STEPS_BETWEEN_LOOKS = 512;

/**
 * Why a text cannot be read or a question not be decided. `notation`: no form we know. `ambiguous`: two usual readings. `undefined`: no value (1/0).
 * `limit`: too large. `effort`: it takes
 * too long. Never leaves this folder.
 */
export class Unreadable extends Error {
  readonly reason: 'notation' | 'ambiguous' | 'undefined' | 'limit' | 'effort';

  constructor(reason: Unreadable['reason'], message: string) {
    super(message);
    this.name = 'Unreadable';
    this.reason = reason;
  }
}

/** Counts the work of one comparison. */
export interface Effort {
  /** Throws Unreadable `effort` when steps or time are used up. */
  spend(steps: number): void;
}

export function startEffort(clock: Clock): Effort {
  const start = clock.now();
  let steps = 0;
  let nextLook = STEPS_BETWEEN_LOOKS;
  return {
    spend: (more) => {
      steps += more;
      if (steps > MOST_STEPS) throw new Unreadable('effort', 'comparing takes too many steps');
      if (steps < nextLook) return;
      nextLook = steps + STEPS_BETWEEN_LOOKS;
      if (clock.now() - start > ANSWER_LIMITS.milliseconds) {
        throw new Unreadable('effort', `comparing took longer than ${ANSWER_LIMITS.milliseconds} ms`);
      }
    },
  };
}

/** Throws Unreadable `limit` for an integer of more than 4,096 bits. */
export function refuseLargeInteger(integer: bigint): bigint {
  if (isTooLarge(integer)) throw new Unreadable('limit', `an integer has more than ${ANSWER_LIMITS.integerBits} bits`);
  return integer;
}

const FIRST_TOO_LARGE = 1n << BigInt(ANSWER_LIMITS.integerBits);

export function isTooLarge(integer: bigint): boolean {
  return integer >= FIRST_TOO_LARGE || integer <= -FIRST_TOO_LARGE;
}
