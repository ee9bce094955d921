import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { driftCheck } from './drift-check.ts';
import { planGate } from './plan-gate.ts';
import { SequentialDecision } from './sequential-decision.ts';

const plan = planGate({ groups: 60, repeats: 4, alpha: 0.05, margin: 0.05 });

function sequence(): SequentialDecision {
  return new SequentialDecision({ ...plan, margin: plan.marginTested, marginAsked: plan.margin, goal: 'improvement' });
}

const differences = fc.array(
  fc.integer({ min: -2, max: 4 }).map((unit) => unit / 4),
  { minLength: 1, maxLength: 60 },
);

describe('SequentialDecision', () => {
  it('gains no acceptance by stopping earlier: what a prefix has shown, the whole has', () => {
    fc.assert(
      fc.property(differences, fc.nat(), (values, cut) => {
        const whole = sequence();
        for (const value of values) whole.add(value, Number.NaN, value, 1);
        const prefix = sequence();
        for (const value of values.slice(0, cut % values.length)) prefix.add(value, Number.NaN, value, 1);
        expect(prefix.improvement.peak).toBeLessThanOrEqual(whole.improvement.peak);
      }),
    );
  });

  it('is not futile while it is still winning, and is once it has lost for long', () => {
    const winning = sequence();
    const losing = sequence();
    for (let group = 0; group < 30; group++) {
      winning.add(group % 2 === 0 ? 0.5 : 0, Number.NaN, 0.25, 1);
      losing.add(group % 2 === 0 ? -0.5 : 0.25, Number.NaN, 0, 1);
    }
    expect(winning.state()).toBe('improved');
    expect(losing.state()).toBe('futile');
  });
});

describe('driftCheck', () => {
  const groups = (mean: number) => Array.from({ length: 400 }, (_, index) => mean + (index % 2 === 0 ? 0.2 : -0.2));

  it('is at ease with no change, and stops the sum of five small losses', () => {
    expect(driftCheck({ differences: groups(0), margin: 0.05 })).toMatchObject({ verdict: 'ok', groups: 400 });
    expect(driftCheck({ differences: groups(-0.02), margin: 0.05 }).verdict).toBe('ok');
    expect(driftCheck({ differences: groups(-0.1), margin: 0.05 }).verdict).toBe('drifted');
  });

  it('does not call little evidence a proof of safety', () => {
    expect(driftCheck({ differences: groups(0).slice(0, 6), margin: 0.05 }).verdict).toBe('unclear');
    expect(driftCheck({ differences: [], margin: 0.05 })).toMatchObject({ verdict: 'unclear', low: -1, high: 1 });
  });
});
