import { describe, expect, it } from 'vitest';
import { EndpointLimiter } from './endpoint-limiter.ts';

describe('EndpointLimiter', () => {
  it('widens to the most that a caller asks for, and is never narrowed by another', () => {
    const limiter = new EndpointLimiter(8);
    limiter.widenTo(64);
    limiter.widenTo(2);
    expect(limiter.allowed).toBe(64);
  });

  it('lets those in who wait for the room that a later caller brings', async () => {
    const limiter = new EndpointLimiter(1);
    await limiter.enter(undefined);
    const second = limiter.enter(undefined);
    limiter.widenTo(2);
    await expect(second).resolves.toBeUndefined();
  });

  it('does not forget a refusal of the server because another caller comes: successes win the room back', async () => {
    const limiter = new EndpointLimiter(8);
    limiter.rateLimited(0);
    limiter.widenTo(64);
    expect(limiter.allowed).toBe(4);
    for (let call = 0; call < 40; call++) {
      await limiter.enter(undefined);
      limiter.leave(true);
    }
    expect(limiter.allowed).toBeGreaterThan(8);
  });
});
