import { describe, expect, it } from 'vitest';
import { scoreSideEffects } from './predictions.ts';

describe('scoreSideEffects', () => {
  it('holds what was expected to break and to cost against what the gate saw', () => {
    const score = scoreSideEffects([
      { sideEffects: { regression: { predicted: 0.1, observed: 0.2 }, cost: { predicted: 0.5, observed: 0.4 } } },
      { sideEffects: { regression: { predicted: 0.1, observed: 0 }, cost: { predicted: 0, observed: 0.3 } } },
      { sideEffects: { regression: { predicted: 0.2, observed: null }, cost: null } },
      {},
    ]);
    expect(score.regression).toMatchObject({ predicted: 3, observed: 2, precision: 0.5, recall: 1 });
    expect(score.regression.meanError).toBeCloseTo(0.1);
    expect(score.cost).toMatchObject({ predicted: 2, observed: 2, precision: 1, recall: 0.5 });
    expect(score.cost.meanError).toBeCloseTo(0.2);
  });
});
