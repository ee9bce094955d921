import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { ratesWith } from './pair-rates.ts';

const model = { base: contentHash('base'), adapter: null };
const pairOf = (name: string, ...tokens: number[]) => ({
  harness: { hash: contentHash(name) } as Harness,
  model,
  rollouts: tokens.map((completionTokens) => ({ usage: { promptTokens: 1, completionTokens } }) as Trajectory),
});
const keyOf = (name: string) => `${contentHash(name)} null`;

describe('rates of the pairs in a batch', () => {
  it('share its time by the tokens that each generated', () => {
    const rates = ratesWith({}, [pairOf('terse', 10, 10), pairOf('wordy', 180)], 20);
    expect(rates).toEqual({ [keyOf('terse')]: 1, [keyOf('wordy')]: 18 });
  });

  it('share it by their rollouts where the engine counts no tokens: no pair takes no time', () => {
    const rates = ratesWith({}, [pairOf('one', 0, 0, 0), pairOf('other', 0)], 8);
    expect(rates).toEqual({ [keyOf('one')]: 2, [keyOf('other')]: 2 });
  });

  it('replace older ones of the same pair and leave those of others', () => {
    const known = { [keyOf('terse')]: 7, [keyOf('absent')]: 3 };
    expect(ratesWith(known, [pairOf('terse', 10)], 5)).toEqual({ [keyOf('absent')]: 3, [keyOf('terse')]: 5 });
  });

  it('are kept for the 32 latest pairs', () => {
    const batch = (from: number, count: number) => Array.from({ length: count }, (_, i) => pairOf(`p${from + i}`, 10));
    const full = ratesWith({}, batch(0, 32), 32);
    expect(Object.keys(full)).toHaveLength(32);
    const renewed = ratesWith(full, [...batch(0, 1), ...batch(32, 1)], 2);
    expect(Object.keys(renewed)).toHaveLength(32);
    expect(Object.keys(renewed)).not.toContain(keyOf('p1'));
    expect(Object.keys(renewed)).toEqual(expect.arrayContaining([keyOf('p0'), keyOf('p2'), keyOf('p32')]));
  });
});
