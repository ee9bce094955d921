import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { bettingInterval } from './betting-confidence-sequence.ts';
import { BettingEProcess } from './betting-e-process.ts';
import { groupBootstrap, groupMeans } from './group-bootstrap.ts';
import { hypergeometricTail } from './hypergeometric-tail.ts';
import { meanTest } from './mean-test.ts';
import { normalCdf, normalQuantile } from './normal-distribution.ts';
import { pairedPermutationTest } from './paired-permutation-test.ts';
import { signTest } from './sign-test.ts';
import { summarise } from './summary.ts';
import { wilsonInterval } from './wilson.ts';

const differences = fc.array(
  fc.integer({ min: -4, max: 4 }).map((unit) => unit / 4),
  { minLength: 1, maxLength: 60 },
);

describe('fixed-size verdicts', () => {
  it('do not depend on the order of the groups', () => {
    fc.assert(
      fc.property(differences, fc.integer(), (values, seed) => {
        const shuffled = seededRandom(seed).shuffled(values);
        expect(pairedPermutationTest(shuffled, { samples: 500 })).toBe(pairedPermutationTest(values, { samples: 500 }));
        expect(meanTest(shuffled)).toBeCloseTo(meanTest(values), 10);
        expect(bettingInterval(shuffled, 0.95)).toEqual(bettingInterval(values, 0.95));
      }),
      { numRuns: 50 },
    );
  });

  it('never turn against a group that improves', () => {
    fc.assert(
      fc.property(differences, fc.nat(), (values, pick) => {
        const index = pick % values.length;
        const improved = values.with(index, Math.min(1, (values[index] as number) + 0.25));
        const capital = (list: readonly number[]) => {
          const process = new BettingEProcess(0);
          for (const value of list) process.add(value);
          return process.capital;
        };
        expect(capital(improved)).toBeGreaterThanOrEqual(capital(values));
      }),
    );
  });
});

describe('the mean test of differences without spread', () => {
  it('never claims more than the largest chance that a mean of the null allows', () => {
    expect(meanTest([0.5, 0.5])).toBeCloseTo((1 / 1.5) ** 2, 12);
    expect(meanTest([1, 1, 1, 1, 1, 1])).toBeCloseTo(2 ** -6, 12);
    expect(meanTest([0, 0, 0], -0.05)).toBeCloseTo(0.95 ** 3, 12);
    expect(meanTest(Array.from({ length: 60 }, () => 1))).toBeLessThan(1e-15);
  });

  it('shows nothing where the value is the mean of the null or below', () => {
    expect(meanTest([0, 0, 0])).toBe(1);
    expect(meanTest([-0.2, -0.2, -0.2])).toBe(1);
    expect(meanTest([0.1, 0.1], 0.1)).toBe(1);
  });
});

describe('betting e-process', () => {
  it('has, under a null of mean 0, an expected capital of at most 1 and rarely reaches 1/α, horizon or not', () => {
    for (const horizon of [undefined, { observations: 60, variance: 0.3, target: 20 }]) {
      const random = seededRandom(7);
      let reached = 0;
      let sum = 0;
      const games = 4000;
      for (let game = 0; game < games; game++) {
        const process = new BettingEProcess(0, horizon);
        // Skewed: rare large losses, frequent small gains, mean 0.
        for (let step = 0; step < 60; step++) process.add(random.next() < 0.2 ? -0.8 : 0.2);
        if (process.peak >= 20) reached++;
        sum += Math.min(process.capital, 1000);
      }
      expect(reached / games).toBeLessThan(0.05);
      expect(sum / games).toBeLessThan(1.3);
    }
  });

  it('never goes bankrupt, and a peak once reached stays', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 200 }), (values) => {
        const process = new BettingEProcess(-0.05, { observations: 200, variance: 0.1, target: 100 });
        let peak = 1;
        for (const value of values) {
          const capital = process.add(value);
          expect(capital).toBeGreaterThanOrEqual(0);
          expect(process.peak).toBeGreaterThanOrEqual(peak);
          peak = process.peak;
        }
      }),
    );
  });
});

describe('betting interval', () => {
  it('is [−1, 1] without data and shrinks around the truth with it', () => {
    expect(bettingInterval([], 0.95)).toEqual({ low: -1, high: 1 });
    const random = seededRandom(3);
    let covered = 0;
    for (let sample = 0; sample < 200; sample++) {
      const values = Array.from({ length: 150 }, () => (random.next() < 0.3 ? 1 : random.next() < 0.2 ? -1 : 0));
      const { low, high } = bettingInterval(values, 0.95, { observations: 150, variance: 0.4 });
      // E = 0.3 − 0.7 × 0.2
      if (low <= 0.16 && 0.16 <= high) covered++;
      expect(high - low).toBeLessThan(0.5);
    }
    expect(covered / 200).toBeGreaterThanOrEqual(0.95);
  });
});

describe('wilsonInterval', () => {
  it('holds the observed share, stays in [0, 1] and is open-ended at the edges', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (a, b) => {
        const n = a + b;
        const { low, high } = wilsonInterval(a, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        if (n > 0) expect(low <= a / n && a / n <= high).toBe(true);
      }),
    );
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilsonInterval(13, 100).low).toBeCloseTo(0.0776, 3);
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
  });
});

describe('group bootstrap', () => {
  it('is fixed by its seed, holds the mean, and is undefined without groups', () => {
    const values = Array.from({ length: 40 }, (_, index) => (index % 4) / 4 - 0.3);
    const estimate = groupBootstrap(values, { seed: 5 });
    expect(estimate).toEqual(groupBootstrap(values, { seed: 5 }));
    expect(estimate).toMatchObject({ groups: 40 });
    expect((estimate?.low ?? 1) < (estimate?.mean ?? 0) && (estimate?.mean ?? 0) < (estimate?.high ?? -1)).toBe(true);
    expect(groupBootstrap([], { seed: 5 })).toBeUndefined();
  });

  it('takes one mean per group and leaves missing values out', () => {
    const rows = [
      { group: 'a', value: 1 },
      { group: 'a', value: null },
      { group: 'a', value: 0 },
      { group: 'b', value: null },
    ];
    expect([...groupMeans(rows)]).toEqual([['a', 0.5]]);
  });
});

describe('small pieces', () => {
  it('the mean of nothing is undefined, not 0', () => {
    expect(summarise([null, null])).toEqual({ mean: undefined, scored: 0, unscored: 2 });
    expect(summarise([1, null, 0])).toEqual({ mean: 0.5, scored: 2, unscored: 1 });
  });

  it('the normal quantile undoes the distribution function', () => {
    for (const z of [-6, -2.5, -0.1, 0, 1.96, 5]) expect(normalQuantile(normalCdf(z))).toBeCloseTo(z, 6);
    expect(normalCdf(1.959963984540054)).toBeCloseTo(0.975, 12);
  });

  it('the sign test knows the textbook cases', () => {
    expect(signTest(0, 0)).toBe(1);
    expect(signTest(8, 0)).toBeCloseTo(2 ** -8, 12);
    expect(signTest(2, 6)).toBeGreaterThan(0.9);
  });
});

describe('hypergeometricTail', () => {
  it("is the p-value of Fisher's exact test", () => {
    // The lady tasting tea: three or all four of four cups with milk first, of eight.
    expect(hypergeometricTail({ hits: 3, drawn: 4, marked: 4, total: 8 })).toBeCloseTo(17 / 70, 12);
    expect(hypergeometricTail({ hits: 3, drawn: 3, marked: 5, total: 10 })).toBeCloseTo(10 / 120, 12);
  });

  it('is sure of none or more, and never has more than are drawn', () => {
    expect(hypergeometricTail({ hits: 0, drawn: 3, marked: 5, total: 10 })).toBeCloseTo(1, 12);
    expect(hypergeometricTail({ hits: 4, drawn: 3, marked: 5, total: 10 })).toBe(0);
    expect(hypergeometricTail({ hits: 1, drawn: 8, marked: 3, total: 8 })).toBeCloseTo(1, 12);
  });
});
