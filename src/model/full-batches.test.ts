import type { BatchItem, Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { fullBatches } from './full-batches.ts';

const item = (length: number): BatchItem => ({
  tokens: Array.from({ length }, () => 0 as Token),
  logits: [],
  evaluationPriority: 5,
});

describe('fullBatches', () => {
  it('waits until every running sequence has asked for its token', () => {
    const decide = fullBatches({ running: 3 });
    expect(decide({ items: [item(1), item(1)], size: 8 })).toEqual([]);
    expect(decide({ items: [item(1), item(1), item(1)], size: 8 })).toHaveLength(3);
  });

  it('does not wait for ever for a sequence that asks no more', () => {
    const decide = fullBatches({ running: 2 });
    const batches = Array.from({ length: 65 }, () => decide({ items: [item(1)], size: 8 }).length);
    expect(batches.indexOf(1)).toBe(64);
  });

  it('evaluates a prompt alone and in one piece where it fits', () => {
    const [token, prompt, other] = [item(1), item(7), item(5)];
    expect(fullBatches({ running: 3 })({ items: [token, prompt, other], size: 8 })).toEqual([
      { item: prompt, processAmount: 7 },
    ]);
  });

  it('never leaves a single token of a prompt for a batch of its own', () => {
    for (let length = 2; length < 60; length++) {
      const decide = fullBatches({ running: 1 });
      const prompt = item(length);
      let left = length;
      while (left > 0) {
        const taken =
          decide({ items: [{ ...prompt, tokens: prompt.tokens.slice(0, left) }], size: 8 })[0]?.processAmount ?? 0;
        expect(taken).toBeGreaterThan(1);
        left -= taken;
      }
    }
  });
});
