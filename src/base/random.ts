import { createHash } from 'node:crypto';

/** A stream of numbers in [0, 1), fixed by its seed. */
export interface Random {
  next(): number;
  /** Integer in [0, bound). */
  below(bound: number): number;
  /** New array, Fisher-Yates. */
  shuffled<T>(items: readonly T[]): T[];
}

/** 32-bit seed from any text: independent streams for independent names. */
export function seedFrom(...parts: (string | number)[]): number {
  return createHash('sha256').update(parts.join('\u0000')).digest().readUInt32LE(0);
}

/** Mulberry32: 32-bit state, passes gjrand's small tests, enough for sampling plans; not for cryptography. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    shuffled: (items) => {
      const copy = [...items];
      for (let index = copy.length - 1; index > 0; index--) {
        const other = below(index + 1);
        [copy[index], copy[other]] = [copy[other] as (typeof copy)[number], copy[index] as (typeof copy)[number]];
      }
      return copy;
    },
  };
}
