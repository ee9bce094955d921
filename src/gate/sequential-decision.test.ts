import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { driftCheck } from './drift-check.ts';
import { planGate } from './plan-gate.ts';
import { SequentialDecision } from './sequential-decision.ts';

const plan = planGate({ groups: 60, repeats: 4, alpha: 0.05, margin: 0.05 });

function sequence(): SequentialDecision {
  return new SequentialDecision({ ...plan, margin: plan.marginTested, marginAsked: plan.margin, goal: 'improvement' });
}

/** One group: difference in each stratum, in twentieths, and the quarters of its pairs that are held out. */
interface Row {
  targeted: number;
  heldOut: number;
  share: number;
}

/** Groups around an effect of their own in each stratum, so that every guard has decisions that it alone holds back. */
const decisions = fc
  .record({ targeted: fc.integer({ min: -8, max: 14 }), heldOut: fc.integer({ min: -6, max: 8 }) })
  .chain((effect) => {
    const around = (centre: number) => fc.integer({ min: centre - 2, max: centre + 2 });
    const share = fc.integer({ min: 0, max: 2 });
    const row = fc.record({ targeted: around(effect.targeted), heldOut: around(effect.heldOut), share });
    return fc.array(row, { minLength: 40, maxLength: 60 });
  });

function feed(decision: SequentialDecision, rows: readonly Row[]) {
  for (const row of rows) {
    const [targeted, heldOut, share] = [row.targeted / 20, row.heldOut / 20, row.share / 4];
    decision.add(targeted * (1 - share) + heldOut * share, targeted, share === 0 ? Number.NaN : heldOut, share);
  }
}

describe('SequentialDecision', () => {
  it('gains no acceptance by stopping earlier: at whatever look it is accepted, the evidence that chance rarely gives is there, and so are the guards', () => {
    const seen = { accepted: 0, lostOnTarget: 0, lostHeldOut: 0, unproven: 0 };
    fc.assert(
      fc.property(decisions, (rows) => {
        const whole = sequence();
        feed(whole, rows);
        for (let look = 1; look <= rows.length; look++) {
          const stopped = sequence();
          feed(stopped, rows.slice(0, look));
          if (stopped.state() === 'improved') {
            seen.accepted++;
            // One event of chance ≤ alpha holds every acceptance at any look (Ville), and no guard is waived at an early one.
            expect(whole.improvement.peak).toBeGreaterThanOrEqual(1 / plan.alpha);
            expect(stopped.improvementShown && stopped.notWorseShown && stopped.targetedHolds).toBe(true);
            expect(stopped.heldOutInferior).toBe(false);
          } else if (stopped.improvementShown) {
            if (!stopped.targetedHolds) seen.lostOnTarget++;
            else if (stopped.heldOutInferior && stopped.notWorseShown) seen.lostHeldOut++;
            else seen.unproven++;
          }
        }
      }),
      { numRuns: 200, seed: 5 },
    );
    // Each way out was taken, or the property would say little.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
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
