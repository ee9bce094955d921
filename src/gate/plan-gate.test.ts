import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { nullBand } from './null-band.ts';
import { planGate } from './plan-gate.ts';
import { SequentialDecision } from './sequential-decision.ts';
import { tradeOffRepeats } from './trade-off-repeats.ts';

const REQUEST = { groups: 200, repeats: 4, alpha: 0.01, margin: 0.05, withinTaskVariance: 0.16, effectVariance: 0 };

describe('planGate', () => {
  it('promises an effect that the gate then finds about four times in five', () => {
    // The mean of p(1 − p) over parent and child.
    const plan = planGate({ ...REQUEST, withinTaskVariance: 0.18 });
    const random = seededRandom(9);
    const pass = (rate: number) => {
      let solved = 0;
      for (let repeat = 0; repeat < plan.repeats; repeat++) if (random.next() < rate) solved++;
      return solved / plan.repeats;
    };
    let found = 0;
    const decisions = 600;
    for (let decision = 0; decision < decisions; decision++) {
      const sequence = new SequentialDecision({
        ...plan,
        margin: plan.marginTested,
        marginAsked: plan.margin,
        goal: 'improvement',
      });
      for (const batch of plan.batches) {
        for (let group = 0; group < batch; group++) {
          const difference = pass(0.2 + plan.minimumDetectableEffect) - pass(0.2);
          sequence.add(difference, Number.NaN, difference, 1);
        }
        if (sequence.state() !== 'open') break;
      }
      if (sequence.state() === 'improved') found++;
    }
    expect(found / decisions).toBeGreaterThan(0.7);
    expect(found / decisions).toBeLessThan(0.9);
  });

  it('never takes more rollouts than the budget, and covers all groups with its batches', () => {
    const plan = planGate({ ...REQUEST, budgetRollouts: 1001, tasksPerGroup: 2 });
    expect(plan.groups).toBe(62);
    expect(plan.maxRollouts).toBe(62 * 2 * 4 * 2);
    expect(plan.batches.reduce((sum, groups) => sum + groups, 0)).toBe(62);
    expect(Math.max(...plan.batches) - Math.min(...plan.batches)).toBeLessThanOrEqual(1);
    expect(planGate({ ...REQUEST, rule: 'permutation' }).batches).toEqual([200]);
  });

  it('refuses fewer groups than could ever decide, and names the number that could', () => {
    expect(() => planGate({ ...REQUEST, groups: 5 })).toThrow(/at least 7 \(56 rollouts\)/);
    expect(planGate({ ...REQUEST, groups: 7 }).groupsNeeded).toBe(7);
    expect(() => planGate({ ...REQUEST, rule: 'permutation', groups: 6 })).toThrow(/at least 7/);
    expect(() => planGate({ ...REQUEST, budgetRollouts: 40 })).toThrow(/40 rollouts pay for 5 groups/);
    try {
      planGate({ ...REQUEST, groups: 0 });
    } catch (error) {
      expect(error).toMatchObject({ code: 'too-few-groups', details: { needed: 7, neededRollouts: 56 } });
    }
  });

  it('what it calls enough is enough, and one less is not', () => {
    for (const alpha of [0.05, 0.01, 0.001]) {
      const { groupsNeeded } = planGate({ ...REQUEST, alpha });
      for (const [groups, shown] of [
        [groupsNeeded, true],
        [groupsNeeded - 1, false],
      ] as const) {
        const settings = {
          alpha,
          margin: 0.9,
          marginAsked: 0.05,
          goal: 'improvement',
          groups,
          groupVariance: 0.1,
        } as const;
        const sequence = new SequentialDecision({ ...settings, minimumDetectableEffect: 1 });
        for (let group = 0; group < groups; group++) sequence.add(1, Number.NaN, 1, 1);
        expect(sequence.improvementShown).toBe(shown);
      }
    }
  });

  it('says when the margin cannot be afforded', () => {
    const small = planGate({ ...REQUEST, groups: 60, repeats: 1 });
    expect(small.marginTested).toBeGreaterThan(0.05);
    expect(small.note).toContain('not from the 5.0 pp asked for');
    expect(planGate({ ...REQUEST, groups: 7, repeats: 1 }).marginTested).toBeLessThan(1);
    const large = planGate({ ...REQUEST, groups: 2000 });
    expect(large.marginTested).toBe(0.05);
    expect(large.affordableDeletionMargin).toBeLessThan(0.05);
  });

  it('lets `mean` decide with 20 groups and not with 19, or with more where its error asks for them', () => {
    expect(() => planGate({ ...REQUEST, rule: 'mean', groups: 19 })).toThrow(/at least 20/);
    expect(planGate({ ...REQUEST, rule: 'mean', groups: 20 }).groupsNeeded).toBe(20);
    expect(planGate({ ...REQUEST, rule: 'mean', groups: 30, alpha: 2 ** -25 }).groupsNeeded).toBe(25);
  });

  it.each([
    { repeats: 0 },
    { repeats: 1.5 },
    { alpha: 0 },
    { margin: 1 },
    { groups: -1 },
    { groups: Number.NaN },
    { budgetRollouts: -5 },
  ])('refuses %o', (change) => {
    expect(() => planGate({ ...REQUEST, ...change })).toThrow(expect.objectContaining({ code: 'invalid-gate-plan' }));
  });
});

describe('tradeOffRepeats', () => {
  it('spends the budget on groups while there are some, then on repeats', () => {
    const request = { alpha: 0.01, margin: 0.05, budgetRollouts: 800, withinTaskVariance: 0.2 };
    expect(tradeOffRepeats({ ...request, groups: 1000 }).repeats).toBe(1);
    expect(tradeOffRepeats({ ...request, groups: 100 }).repeats).toBe(4);
    // Outcomes that hardly vary within a task are not worth repeating.
    expect(tradeOffRepeats({ ...request, groups: 100, withinTaskVariance: 0.0005, effectVariance: 0.05 }).repeats).toBe(
      1,
    );
  });
});

describe('nullBand', () => {
  it('knows that the best of many null diffs looks good', () => {
    expect(nullBand(40, 0.32, 1).median).toBe(0);
    const ten = nullBand(40, 0.32, 10);
    expect(ten.median).toBeGreaterThan(0.1);
    expect(ten.upper95).toBeGreaterThan(ten.median);
    expect(ten.line).toMatch(/best of 10 do-nothing diffs/);
  });
});
