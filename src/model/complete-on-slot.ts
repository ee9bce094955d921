import { AbortedError } from '../base/errors.ts';
import type { EvaluationSlot } from './evaluation-slot.ts';
import type { FinishReason, GenerationRequest } from './model-backend.ts';
import { stopText } from './stop-text.ts';

export interface Completion {
  text: string;
  finishReason: FinishReason;
  /** Exactly what was sampled, own end token included. */
  tokens: number[];
}

/**
 * Samples until the model ends its turn, a stop string is complete, `maxTokens` are sampled or the window is full. The slot must hold a
 * proper prefix of `prompt`, and `prompt` must be shorter than the window. Rejects with AbortedError when the signal fires.
 */
export async function completeOnSlot(job: {
  slot: EvaluationSlot;
  prompt: readonly number[];
  request: GenerationRequest;
  vocabulary: { decode(tokens: readonly number[]): string; isEnd(token: number): boolean };
  windowTokens: number;
}): Promise<Completion> {
  const { slot, prompt, request, vocabulary } = job;
  const room = job.windowTokens - prompt.length;
  const most = Math.min(request.maxTokens, room);
  const stops = stopText(request.stop, vocabulary.decode);
  const tokens: number[] = [];
  for await (const token of slot.sample(prompt.slice(slot.tokens.length), request.sampling, request.seed)) {
    if (request.signal?.aborted) throw new AbortedError();
    tokens.push(token);
    if (vocabulary.isEnd(token)) return { text: vocabulary.decode(tokens.slice(0, -1)), finishReason: 'end', tokens };
    const cut = stops.cut(tokens);
    if (cut !== undefined) return { text: cut, finishReason: 'stop-text', tokens };
    if (tokens.length >= most) break;
  }
  return { text: vocabulary.decode(tokens), finishReason: request.maxTokens <= room ? 'length' : 'window', tokens };
}
