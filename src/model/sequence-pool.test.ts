import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AbortedError } from '../base/errors.ts';
import type { EvaluationSlot } from './evaluation-slot.ts';
import { PrefixSnapshots } from './prefix-snapshots.ts';
import { SequencePool } from './sequence-pool.ts';

interface Counters {
  evaluated: number;
  saved: number;
  loaded: number;
}

/** A slot that remembers tokens, and takes a turn of the event loop for everything. */
function memorySlot(counters: Counters): EvaluationSlot {
  let tokens: number[] = [];
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    get tokens() {
      return [...tokens];
    },
    keep: async (length) => {
      await turn();
      tokens = tokens.slice(0, length);
    },
    append: async (more) => {
      await turn();
      counters.evaluated += more.length;
      tokens.push(...more);
    },
    sample: async function* (more) {
      await turn();
      counters.evaluated += more.length;
      tokens.push(...more);
      yield 1;
    },
    save: async (file) => {
      counters.saved++;
      await writeFile(file, JSON.stringify(tokens));
      return tokens.length;
    },
    load: async (file) => {
      counters.loaded++;
      tokens = JSON.parse(await readFile(file, 'utf8'));
    },
    reset: async () => {
      tokens = [];
    },
  };
}

async function withPool(
  slotCount: number,
  check: (pool: SequencePool, counters: Counters) => Promise<void>,
  change: (slot: EvaluationSlot) => EvaluationSlot = (slot) => slot,
): Promise<void> {
  const counters = { evaluated: 0, saved: 0, loaded: 0 };
  const snapshots = new PrefixSnapshots(10_000);
  const pool = new SequencePool(
    Array.from({ length: slotCount }, () => change(memorySlot(counters))),
    snapshots,
  );
  try {
    await check(pool, counters);
  } finally {
    await pool.close();
    await snapshots.close();
  }
}

/** Samples once; resolves with the tokens that were evaluated for it, held ones included. */
async function evaluatedPrompt(slot: EvaluationSlot, prompt: readonly number[]): Promise<readonly number[]> {
  for await (const _ of slot.sample(prompt.slice(slot.tokens.length), { temperature: 0, topP: 1, topK: 0 }, 0)) break;
  return slot.tokens;
}

const range = (length: number, first = 0) => Array.from({ length }, (_, index) => first + index);

describe('SequencePool', () => {
  it('evaluates exactly the prompt of every request, whatever is shared, in any order', async () => {
    const prompt = fc.tuple(
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 300 }),
      fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(prompt, { minLength: 1, maxLength: 25 }),
        fc.integer({ min: 1, max: 6 }),
        async (parts, slotCount) => {
          const prompts = parts.map(([family, length, end]) => [...range(length, family * 1000), ...end]);
          await withPool(slotCount, async (pool) => {
            const evaluated = await Promise.all(
              prompts.map((tokens) => pool.run(tokens, undefined, (slot) => evaluatedPrompt(slot, tokens))),
            );
            expect(evaluated).toEqual(prompts);
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('evaluates a long prefix that all requests share once, and not once per slot', async () => {
    await withPool(8, async (pool, counters) => {
      const prompts = range(24).map((index) => [...range(300), 5000 + index, 6000]);
      await Promise.all(prompts.map((prompt) => pool.run(prompt, undefined, (slot) => evaluatedPrompt(slot, prompt))));
      expect(counters).toEqual({ evaluated: 300 + 24 * 2, saved: 1, loaded: 7 });
    });
  });

  it('continues a conversation in the slot that holds it', async () => {
    await withPool(2, async (pool, counters) => {
      const first = range(50);
      await pool.run(first, undefined, (slot) => evaluatedPrompt(slot, first));
      const second = range(60);
      await pool.run(second, undefined, (slot) => evaluatedPrompt(slot, second));
      expect(counters.evaluated).toBe(60);
    });
  });

  it('goes on without the shortcut when a state cannot be written or read', async () => {
    const broken = (slot: EvaluationSlot): EvaluationSlot => ({
      get tokens() {
        return slot.tokens;
      },
      keep: slot.keep,
      append: slot.append,
      sample: slot.sample,
      reset: slot.reset,
      save: async () => Promise.reject(new Error('no space left on device')),
      load: async () => Promise.reject(new Error('no such file')),
    });
    await withPool(
      3,
      async (pool) => {
        const prompts = range(9).map((index) => [...range(200), 5000 + index]);
        const evaluated = await Promise.all(
          prompts.map((prompt) => pool.run(prompt, undefined, (slot) => evaluatedPrompt(slot, prompt))),
        );
        expect(evaluated).toEqual(prompts);
      },
      broken,
    );
  });

  it('makes an engine failure a retryable provider error of that request alone', async () => {
    await withPool(1, async (pool) => {
      const failing = pool.run([1, 2], undefined, () => Promise.reject(new Error('decode failed')));
      const next = pool.run([1, 2, 3], undefined, (slot) => evaluatedPrompt(slot, [1, 2, 3]));
      await expect(failing).rejects.toMatchObject({ code: 'provider-engine', retryable: true });
      expect(await next).toEqual([1, 2, 3]);
    });
  });

  it('cancels a waiting request at once', async () => {
    await withPool(1, async (pool) => {
      const { promise: end, resolve: release } = Promise.withResolvers<void>();
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const running = pool.run([1], undefined, () => {
        start();
        return end;
      });
      await started;
      const controller = new AbortController();
      const waiting = pool.run([2], controller.signal, async () => {});
      controller.abort();
      await expect(waiting).rejects.toBeInstanceOf(AbortedError);
      release();
      await running;
    });
  });

  it('settles everything when it is closed, and leaves no file behind', async () => {
    const foldersBefore = ownFolders();
    const prompts = range(6).map((index) => [...range(200), index]);
    const outcomes: Promise<unknown>[] = [];
    await withPool(2, async (pool) => {
      outcomes.push(
        ...prompts.map((prompt) =>
          pool
            .run(prompt, undefined, (slot) => evaluatedPrompt(slot, prompt))
            .catch((error: { code: string }) => error.code),
        ),
      );
    });
    expect(await Promise.all(outcomes)).toContain('provider-engine');
    expect(ownFolders()).toEqual(foldersBefore);
  });
});

function ownFolders(): string[] {
  return existsSync(tmpdir())
    ? readdirSync(tmpdir()).filter((name) => name.startsWith(`co-harness-prefix-${process.pid}-`))
    : [];
}
