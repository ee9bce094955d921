import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import type { EvaluationSlot } from './evaluation-slot.ts';

/** One sequence of a llama.cpp context. */
export function llamaSlot(context: LlamaContext): EvaluationSlot {
  let sequence: LlamaContextSequence = context.getSequence();
  return {
    get tokens() {
      return sequence.contextTokens;
    },
    keep: async (length) => {
      if (length < sequence.nextTokenIndex) {
        await sequence.eraseContextTokenRanges([{ start: length, end: sequence.nextTokenIndex }]);
      }
    },
    append: (tokens) => sequence.evaluateWithoutGeneratingNewTokens(tokens as Token[]),
    sample: (tokens, sampling, seed) =>
      sequence.evaluate(tokens as Token[], {
        temperature: sampling.temperature,
        topP: sampling.topP,
        topK: sampling.topK,
        minP: 0,
        seed,
        yieldEogToken: true,
      }),
    save: async (file) => (await sequence.saveStateToFile(file)).fileSize,
    load: (file) => sequence.loadStateFromFile(file, { acceptRisk: true }),
    reset: async () => {
      await sequence.dispose();
      sequence = context.getSequence();
    },
  };
}
