import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alphaFor } from './search-error-control.ts';

describe('alphaFor', () => {
  it('never hands out more than alpha to decisions that were all refused', () => {
    const spent = (decisions: number | undefined) => {
      let sum = 0;
      for (let index = 0; index < (decisions ?? 2000); index++) {
        sum += alphaFor(index, new Array(index).fill(false), 0.05, decisions === undefined ? {} : { decisions });
      }
      return sum;
    };
    expect(spent(15)).toBeCloseTo(0.05, 12);
    expect(spent(undefined)).toBeLessThan(0.05);
  });

  it('never hands out more than alpha to refused decisions and the chain that ends in them, whatever was accepted', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), (accepted) => {
        // Error can only be lost on a refused decision: what all refused ones were allowed together stays within alpha.
        const allowed = accepted
          .map((was, index) => (was ? 0 : alphaFor(index, accepted, 0.05, { decisions: accepted.length })))
          .reduce((sum, level) => sum + level, 0);
        expect(allowed).toBeLessThanOrEqual(0.05 + 1e-12);
      }),
    );
  });

  it('hands the error of an accepted decision to the next', () => {
    const level = (accepted: boolean[]) => alphaFor(accepted.length, accepted, 0.05, { decisions: 5 });
    expect(level([])).toBeCloseTo(0.01, 12);
    expect(level([true])).toBeCloseTo(0.02, 12);
    expect(level([true, true])).toBeCloseTo(0.03, 12);
    expect(level([true, false])).toBeCloseTo(0.01, 12);
  });

  it('knows plain spending and e-LOND', () => {
    const accepted = [true, false, true];
    expect(alphaFor(3, accepted, 0.05, { decisions: 5, control: 'spending' })).toBeCloseTo(0.01, 12);
    expect(alphaFor(3, accepted, 0.05, { decisions: 5, control: 'e-lond' })).toBeCloseTo(0.03, 12);
  });

  it('refuses decisions beyond the plan and impossible numbers', () => {
    expect(() => alphaFor(5, [], 0.05, { decisions: 5 })).toThrow(
      expect.objectContaining({ code: 'search-error-spent' }),
    );
    expect(() => alphaFor(0, [], 1.5)).toThrow(expect.objectContaining({ code: 'invalid-error-control' }));
    expect(() => alphaFor(0, [], 0.05, { decisions: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid-error-control' }),
    );
  });
});
