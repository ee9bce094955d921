import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { openAiCompatibleBackend } from '../model/openai-compatible-backend.ts';
import { runRollout } from '../rollout/run-rollout.ts';
import { harnessWith, lastNumber, TASK } from '../rollout/scripted-rollout.fixture.ts';
import { TokenBudget } from './token-budget.ts';

const work = (tokens: number) => async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return { usage: { promptTokens: tokens - 1, completionTokens: 1 } };
};

/** Pays for `count` rollouts at once; how each ended, and how many ran side by side. */
async function payTogether(
  budget: TokenBudget,
  { count, tokens, estimate }: { count: number; tokens: number; estimate: number },
) {
  let [running, most] = [0, 0];
  const rollout = async () => {
    most = Math.max(most, ++running);
    return work(tokens)().finally(() => running--);
  };
  const paid = Array.from({ length: count }, () => budget.pay('rollout', estimate, rollout));
  return { settled: await Promise.allSettled(paid), most };
}

describe('TokenBudget', () => {
  it('overshoots by less than one rollout when many are started together', async () => {
    const budget = new TokenBudget(1000, 0);
    await budget.pay('rollout', 0, work(90));
    const { settled } = await payTogether(budget, { count: 40, tokens: 90, estimate: 0 });
    expect(budget.spent).toBeGreaterThanOrEqual(1000);
    expect(budget.spent).toBeLessThan(1000 + 90);
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(40 - 11);
    expect(refused[0]).toMatchObject({ reason: { code: 'budget-spent' } });
  });

  it('never blocks what can be paid because a reservation was too cautious', async () => {
    const { settled } = await payTogether(new TokenBudget(100, 0), { count: 4, tokens: 20, estimate: 5000 });
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('lets rollouts run side by side after a long question, which says nothing of their size', async () => {
    const budget = new TokenBudget(20_000, 0);
    await budget.pay('question', 12_000, work(8_000));
    const { most } = await payTogether(budget, { count: 4, tokens: 1_000, estimate: 500 });
    expect(most).toBe(4);
  });

  it('keeps what a long question in flight may take from the rollouts beside it', async () => {
    const budget = new TokenBudget(10_000, 0);
    await budget.pay('rollout', 0, work(1_000));
    const question = budget.pay('question', 6_000, work(5_900));
    await payTogether(budget, { count: 8, tokens: 1_000, estimate: 0 });
    await question;
    expect(budget.spent).toBeGreaterThanOrEqual(10_000);
    expect(budget.spent).toBeLessThan(10_000 + 1_000);
  });

  it('reserves for what another φ takes by its own estimate, until one of its rollouts has shown it', async () => {
    const budget = new TokenBudget(10_000, 0);
    await budget.pay('rollouts of the seed', 0, work(100));
    const paid = Array.from({ length: 20 }, () => budget.pay('rollouts of its child', 2_500, work(2_000)));
    await Promise.allSettled(paid);
    expect(budget.spent).toBeGreaterThanOrEqual(10_000);
    expect(budget.spent).toBeLessThan(10_000 + 2_000);
  });

  it('counts what earlier processes spent, and frees what a failed rollout held', async () => {
    const budget = new TokenBudget(100, 95);
    await expect(budget.pay('rollout', 0, () => Promise.reject(new Error('engine')))).rejects.toThrow('engine');
    await budget.pay('rollout', 0, work(10));
    await expect(budget.pay('rollout', 0, work(10))).rejects.toMatchObject({
      code: 'budget-spent',
      details: { spent: 105 },
    });
  });

  it('without a limit lets everything through', async () => {
    const { settled } = await payTogether(new TokenBudget(null, 1e9), { count: 3, tokens: 10, estimate: 0 });
    expect(settled.every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('is spent by rollouts on a server that tells no usage', async () => {
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ choices: [{ message: { content: 'It is 42' }, finish_reason: 'stop' }] })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const budget = new TokenBudget(50, 0);
    const rollout = () =>
      runRollout({
        harness: harnessWith(),
        model: openAiCompatibleBackend({ url, model: 'm' }),
        task: TASK,
        split: 'train',
        repeat: 0,
        seed: 1,
        verifier: lastNumber,
        sampling: null,
        clock: systemClock,
      });
    const { usage } = await budget.pay('rollout', 0, rollout);
    expect(usage.isEstimated).toBe(true);
    expect(budget.spent).toBe(usage.promptTokens + usage.completionTokens);
    await expect(budget.pay('rollout', 0, rollout)).rejects.toMatchObject({ code: 'budget-spent' });
    server.closeAllConnections();
    server.close();
  });
});
