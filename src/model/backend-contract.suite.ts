import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AbortedError } from '../base/errors.ts';
import type { GenerationRequest, ModelBackend } from './model-backend.ts';
import { ProviderError } from './provider-error.ts';

const LONG_TALK = 'Count from one to one hundred, in words, with a comma after each.';

/**
 * What every `ModelBackend` promises. `open` gives a backend whose replies to {@link LONG_TALK} are longer than 8 tokens and whose
 * window is at most 2000 tokens.
 */
export function describeBackendContract(name: string, open: () => Promise<ModelBackend>): void {
  describe(`the contract of model backends: ${name}`, () => {
    let backend: ModelBackend;
    beforeAll(async () => {
      backend = await open();
    });
    afterAll(() => backend.close());

    it('says exactly the same for the same request and seed', async () => {
      const first = await backend.generate(ask(LONG_TALK));
      const second = await backend.generate(ask(LONG_TALK));
      expect(second.text).toBe(first.text);
      expect(second.completionTokenIds).toEqual(first.completionTokenIds);
    });

    it('gives token ids that agree with its usage, or none at all', async () => {
      const generation = await backend.generate(ask(LONG_TALK));
      if (backend.tokenIds === 'none') {
        expect(generation.completionTokenIds).toBeUndefined();
        return;
      }
      expect(generation.promptTokenIds).toHaveLength(generation.usage.promptTokens);
      expect(generation.completionTokenIds).toHaveLength(generation.usage.completionTokens);
    });

    it('stops after maxTokens and says so', async () => {
      const generation = await backend.generate({ ...ask(LONG_TALK), maxTokens: 3 });
      expect(generation).toMatchObject({ finishReason: 'length', usage: { completionTokens: 3 } });
    });

    it('ends before a stop string, which is not part of the text', async () => {
      const { text } = await backend.generate(ask(LONG_TALK));
      const stop = text.slice(4, 9);
      const generation = await backend.generate({ ...ask(LONG_TALK), stop: ['never said', stop] });
      expect(generation.text).toBe(text.slice(0, text.indexOf(stop)));
      if (backend.tokenIds === 'exact') expect(generation.finishReason).toBe('stop-text');
    });

    it('says with an empty text that the prompt does not fit the window', async () => {
      const generation = await backend.generate(ask('too long '.repeat(2500)));
      expect(generation).toMatchObject({ text: '', finishReason: 'window' });
    });

    it('answers concurrent calls, each its own', async () => {
      const questions = Array.from({ length: 6 }, (_, index) => `${LONG_TALK} Begin at ${index}.`);
      const together = await Promise.all(
        questions.map((question) => backend.generate({ ...ask(question), maxTokens: 8 })),
      );
      for (const [index, { usage, renderedPrompt }] of together.entries()) {
        expect(usage.completionTokens).toBeGreaterThanOrEqual(1);
        expect(usage.completionTokens).toBeLessThanOrEqual(8);
        if (renderedPrompt !== undefined) expect(renderedPrompt).toContain(`Begin at ${index}.`);
      }
    });

    it('rejects with AbortedError when the signal has fired, and when it fires meanwhile', async () => {
      await expect(backend.generate({ ...ask(LONG_TALK), signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
        AbortedError,
      );
      const controller = new AbortController();
      const running = backend.generate({ ...ask(LONG_TALK), signal: controller.signal });
      controller.abort();
      await expect(running).rejects.toBeInstanceOf(AbortedError);
      expect((await backend.generate({ ...ask(LONG_TALK), maxTokens: 1 })).usage.completionTokens).toBe(1);
    });

    it('rejects with ProviderError once it is closed, and closes twice without complaint', async () => {
      const backend = await open();
      await backend.close();
      await backend.close();
      await expect(backend.generate(ask(LONG_TALK))).rejects.toBeInstanceOf(ProviderError);
    });
  });
}

function ask(content: string): GenerationRequest {
  return {
    messages: [{ role: 'user', content }],
    sampling: { temperature: 0, topP: 1, topK: 0 },
    seed: 7,
    maxTokens: 12,
    stop: [],
  };
}
