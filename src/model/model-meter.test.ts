import { describe, expect, it } from 'vitest';
import { manualClock } from '../base/clock.ts';
import { AbortedError } from '../base/errors.ts';
import { describeBackendContract } from './backend-contract.suite.ts';
import type { GenerationRequest, ModelBackend } from './model-backend.ts';
import { ModelMeter } from './model-meter.ts';
import { ProviderError } from './provider-error.ts';
import { scriptedBackend } from './scripted-backend.ts';

describeBackendContract('metered', async () =>
  new ModelMeter({ budget: { tokens: 1_000_000 } }).wrap(
    scriptedBackend({ reply: () => 'one, two, three, four, five', windowTokens: 2000 }),
    'agent',
  ),
);

function ask(changes: Partial<GenerationRequest> = {}): GenerationRequest {
  const messages = [{ role: 'user' as const, content: 'x'.repeat(100) }];
  return { messages, sampling: { temperature: 0, topP: 1, topK: 0 }, seed: 0, maxTokens: 50, stop: [], ...changes };
}

/** Each call takes 120 prompt tokens (see scriptedBackend) and 5 completion tokens, and ends when told. */
function slowBackend(): { backend: ModelBackend; started(): number; finishAll(): void } {
  let running: (() => void)[] = [];
  let started = 0;
  const backend = scriptedBackend({
    reply: async () => {
      started++;
      await new Promise<void>((resolve) => running.push(resolve));
      return 'four';
    },
  });
  const finishAll = () => {
    for (const finish of running) finish();
    running = [];
  };
  return { backend, started: () => started, finishAll };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('ModelMeter', () => {
  it('adds up calls, tokens and seconds by role', async () => {
    const clock = manualClock();
    const meter = new ModelMeter({ clock });
    const backend = scriptedBackend({
      reply: () => {
        clock.advance(1500);
        return 'four';
      },
    });
    await meter.wrap(backend, 'agent').generate(ask());
    await meter.wrap(backend, 'agent').generate(ask());
    await meter.wrap(backend, 'critic').generate(ask());
    const one = { calls: 1, failures: 0, promptTokens: 120, completionTokens: 5, seconds: 1.5 };
    expect(meter.byRole()).toEqual({
      agent: { calls: 2, failures: 0, promptTokens: 240, completionTokens: 10, seconds: 3 },
      critic: one,
    });
    expect(meter.total()).toMatchObject({ calls: 3, promptTokens: 360 });
  });

  it('lets calls that run together overshoot by no more than one call (BerriAI/litellm#40002)', async () => {
    const { backend, finishAll } = slowBackend();
    const meter = new ModelMeter({ budget: { tokens: 300 } });
    const metered = meter.wrap(backend, 'agent');
    const calls = [1, 2, 3, 4].map(() => metered.generate(ask()).catch((error: { code: string }) => error.code));
    for (let turn = 0; turn < 8; turn++) {
      await settled();
      finishAll();
    }
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter((outcome) => outcome === 'budget-exhausted').length).toBeGreaterThanOrEqual(2);
    expect(meter.total().promptTokens + meter.total().completionTokens).toBeLessThanOrEqual(300);
  });

  it('makes a call wait for reservations that come back, instead of refusing it (BerriAI/litellm#38647)', async () => {
    const { backend, started, finishAll } = slowBackend();
    const metered = new ModelMeter({ budget: { tokens: 400 } }).wrap(backend, 'agent');
    const calls = Promise.all([metered.generate(ask()), metered.generate(ask())]);
    await settled();
    expect(started()).toBe(1);
    finishAll();
    await settled();
    expect(started()).toBe(2);
    finishAll();
    expect(await calls).toHaveLength(2);
  });

  it('gives the reservation of a failed call back and counts no tokens for it', async () => {
    const meter = new ModelMeter({ budget: { tokens: 1000 } });
    const broken = scriptedBackend({
      reply: () => {
        throw new ProviderError('unreachable', 'gone');
      },
    });
    await expect(meter.wrap(broken, 'agent').generate(ask())).rejects.toThrow('gone');
    expect(meter.tokensLeft()).toBe(1000);
    expect(meter.total()).toMatchObject({ calls: 0, failures: 1, promptTokens: 0 });
  });

  it('continues with what earlier runs have spent', async () => {
    const spent = { agent: { calls: 9, failures: 0, promptTokens: 900, completionTokens: 50, seconds: 1 } };
    const metered = new ModelMeter({ budget: { tokens: 1000 }, spent }).wrap(
      scriptedBackend({ reply: () => 'four' }),
      'agent',
    );
    await expect(metered.generate(ask())).rejects.toMatchObject({
      code: 'budget-exhausted',
      details: { spentTokens: 950 },
    });
  });

  it('lets a waiting call be cancelled', async () => {
    const { backend, finishAll } = slowBackend();
    const metered = new ModelMeter({ budget: { calls: 1 } }).wrap(backend, 'agent');
    const running = metered.generate(ask());
    const controller = new AbortController();
    const waiting = metered.generate(ask({ signal: controller.signal }));
    controller.abort();
    await expect(waiting).rejects.toBeInstanceOf(AbortedError);
    finishAll();
    await running;
  });
});
