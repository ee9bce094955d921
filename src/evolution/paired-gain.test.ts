import { describe, expect, it } from 'vitest';
import { pairedGain } from './paired-gain.ts';

/** Screening sends a diff to the gate when its gain exceeds one standard error. */
function isAboveNoise(before: (number | null)[], after: (number | null)[]): boolean {
  const { gain, error } = pairedGain(before, after);
  return gain > error;
}

describe('pairedGain', () => {
  it('takes one task more of many for noise, and three more without a loss for a gain', () => {
    const failed = new Array<number>(17).fill(0);
    const solved = (count: number) => failed.map((_, index) => (index < count ? 1 : 0));
    expect(isAboveNoise(failed, solved(1))).toBe(false);
    expect(isAboveNoise(failed, solved(3))).toBe(true);
    expect(isAboveNoise(solved(3), [...failed.slice(3), 1, 1, 1])).toBe(false);
  });

  it('sees no gain where nothing changed or nothing was scored on both sides', () => {
    expect(pairedGain([1, 0], [1, 0])).toEqual({ gain: 0, error: 0, tasks: 2 });
    expect(pairedGain([null, 1], [1, null])).toEqual({ gain: 0, error: 0, tasks: 0 });
    expect(isAboveNoise([], [])).toBe(false);
  });

  it('leaves a task without a score out instead of counting it as failed', () => {
    expect(pairedGain([0, null, 0], [1, 1, 1])).toEqual({ gain: 1, error: 0, tasks: 2 });
  });
});
