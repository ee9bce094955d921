import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { screeningHeats } from './screen-patches.ts';

describe('the heats of a screening', () => {
  it.each([
    [4, [8]],
    [8, [8]],
    [16, [8, 16]],
    [20, [8, 10, 20]],
    [32, [8, 16, 32]],
    [160, [40, 80, 160]],
  ])('of %i tasks end after %j of them', (tasks, heats) => expect(screeningHeats(tasks)).toEqual(heats));

  it('bring new tasks each time, so that no candidate falls without any', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), (tasks) => {
        const heats = screeningHeats(tasks);
        expect(heats.every((heat, index) => heat > (heats[index - 1] ?? 0))).toBe(true);
        expect(heats.at(-1)).toBe(Math.max(8, tasks));
      }),
    );
  });
});
