import { AbortedError, errorMessage } from '../../base/errors.ts';
import { seedFrom } from '../../base/random.ts';
import type { ModelBackend } from '../../model/model-backend.ts';
import type { CriticReader } from './critic-reader.ts';

/** Tokens kept for the answer, thinking included. */
const ANSWER_TOKENS = 4096;
const CHARACTERS_PER_TOKEN = 3;
/** Votes must be able to differ. */
export const READER_SAMPLING = { temperature: 0.7, topP: 0.95, topK: 0 };

/** How a window is shared between the prompt and its answer. */
export function readerRoom(windowTokens: number): { answerTokens: number; promptCharacters: number } {
  const answerTokens = Math.min(ANSWER_TOKENS, Math.floor(windowTokens / 3));
  return { answerTokens, promptCharacters: (windowTokens - answerTokens) * CHARACTERS_PER_TOKEN };
}

/** A model behind any backend as a reader. Closing it closes the backend. */
export function modelReader(backend: ModelBackend, { name, seed = 1 }: { name: string; seed?: number }): CriticReader {
  const { answerTokens, promptCharacters } = readerRoom(backend.windowTokens);
  return {
    name,
    promptCharacters,
    concurrency: backend.concurrency,
    read: async (prompt, { vote, signal }) => {
      try {
        const { text, finishReason, usage } = await backend.generate({
          messages: [{ role: 'user', content: prompt }],
          sampling: READER_SAMPLING,
          seed: seedFrom(seed, 'critic', vote),
          maxTokens: answerTokens,
          stop: [],
          ...(signal === undefined ? {} : { signal }),
        });
        return { kind: 'text', text, isComplete: finishReason === 'end', usage };
      } catch (error) {
        if (error instanceof AbortedError) throw error;
        return { kind: 'failed', why: errorMessage(error) };
      }
    },
    close: () => backend.close(),
  };
}
