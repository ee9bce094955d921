import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paretoFront } from './pareto-front.ts';
import { scorePredictions } from './predictions.ts';

describe('paretoFront', () => {
  it('keeps what is best at something and drops what is beaten', () => {
    const good = { quality: 0.6, tokens: 300, seconds: 2 };
    const cheap = { quality: 0.55, tokens: 100, seconds: 2 };
    const quick = { quality: 0.5, tokens: 400, seconds: 1 };
    const beaten = { quality: 0.55, tokens: 200, seconds: 2 };
    expect(paretoFront([beaten, quick, cheap, good])).toEqual([good, cheap, quick]);
  });

  it('is never empty, starts with the best quality, and holds no point that another one beats', () => {
    const point = fc.record({ quality: fc.nat(5), tokens: fc.nat(5), seconds: fc.nat(5) });
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 20 }), (points) => {
        const front = paretoFront(points);
        expect(front[0]?.quality).toBe(Math.max(...points.map(({ quality }) => quality)));
        for (const one of front) {
          for (const other of points) {
            const isBeaten =
              other.quality >= one.quality &&
              other.tokens <= one.tokens &&
              other.seconds <= one.seconds &&
              (other.quality > one.quality || other.tokens < one.tokens || other.seconds < one.seconds);
            expect(isBeaten).toBe(false);
          }
        }
      }),
    );
  });
});

describe('scorePredictions', () => {
  it('counts what came true of what was expected, and what was expected of what came true', () => {
    const versions = [
      { prediction: { fix: 0.4, observed: 0.3 } },
      { prediction: { fix: 0.2, observed: -0.1 } },
      { prediction: { fix: 0.01, observed: 0.2 } },
      { prediction: { fix: 0.5, observed: null } },
      { prediction: null },
    ];
    const score = scorePredictions(versions);
    expect(score).toMatchObject({ predicted: 4, observed: 3, precision: 0.5, recall: 0.5 });
    expect(score.meanError).toBeCloseTo((0.1 + 0.3 + 0.19) / 3);
    expect(scorePredictions([])).toEqual({ predicted: 0, observed: 0, precision: null, recall: null, meanError: null });
  });
});
