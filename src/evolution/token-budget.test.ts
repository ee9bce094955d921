import { describe, expect, it } from 'vitest';
import { TokenBudget } from './token-budget.ts';

const rollout = (tokens: number) => async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return { usage: { promptTokens: tokens - 1, completionTokens: 1 } };
};

describe('TokenBudget', () => {
  it('overshoots by less than one rollout when many are started together', async () => {
    const budget = new TokenBudget(1000, 0);
    await budget.pay(0, rollout(90));
    const settled = await Promise.allSettled(Array.from({ length: 40 }, () => budget.pay(0, rollout(90))));
    expect(budget.spent).toBeGreaterThanOrEqual(1000);
    expect(budget.spent).toBeLessThan(1000 + 90);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(40 - 11);
    expect(refused[0]).toMatchObject({ reason: { code: 'budget-spent' } });
  });

  it('never blocks what can be paid because a reservation was too cautious', async () => {
    const budget = new TokenBudget(100, 0);
    const settled = await Promise.allSettled(Array.from({ length: 4 }, () => budget.pay(5000, rollout(20))));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('counts what earlier processes spent, and frees what a failed rollout held', async () => {
    const budget = new TokenBudget(100, 95);
    await expect(budget.pay(0, () => Promise.reject(new Error('engine')))).rejects.toThrow('engine');
    await budget.pay(0, rollout(10));
    await expect(budget.pay(0, rollout(10))).rejects.toMatchObject({ code: 'budget-spent', details: { spent: 105 } });
  });

  it('without a limit lets everything through', async () => {
    const budget = new TokenBudget(null, 1e9);
    await expect(Promise.all([1, 2, 3].map(() => budget.pay(0, rollout(10))))).resolves.toHaveLength(3);
  });
});
