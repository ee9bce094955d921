import { describe, expect, it } from 'vitest';
import { describeBackendContract } from './backend-contract.suite.ts';
import type { GenerationRequest } from './model-backend.ts';
import { ProviderError } from './provider-error.ts';
import { SCRIPTED_END_TOKEN, scriptedBackend } from './scripted-backend.ts';

describeBackendContract('scripted', async () =>
  scriptedBackend({ reply: () => 'one, two, three, four, five', windowTokens: 2000 }),
);

const request: GenerationRequest = {
  messages: [{ role: 'user', content: 'hi' }],
  sampling: { temperature: 0, topP: 1, topK: 0 },
  seed: 0,
  maxTokens: 100,
  stop: [],
};

describe('scriptedBackend', () => {
  it('counts code points as tokens and ends with its own end token', async () => {
    const generation = await scriptedBackend({ reply: () => 'né🙂' }).generate(request);
    expect(generation.completionTokenIds).toEqual([110, 233, 0x1f642, SCRIPTED_END_TOKEN]);
    expect(String.fromCodePoint(...(generation.promptTokenIds ?? []))).toBe(generation.renderedPrompt);
  });

  it('keeps the tokens of a stop string, as a sampler would have', async () => {
    const generation = await scriptedBackend({ reply: () => 'ab]]cd' }).generate({ ...request, stop: [']]'] });
    expect(generation).toMatchObject({ text: 'ab', finishReason: 'stop-text' });
    expect(String.fromCodePoint(...(generation.completionTokenIds ?? []))).toBe('ab]]');
  });

  it('fails as a provider when the script throws', async () => {
    const backend = scriptedBackend({
      reply: () => {
        throw new Error('no line for this');
      },
    });
    await expect(backend.generate(request)).rejects.toThrow(ProviderError);
  });
});
