import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';
import type { EvaluationSlot } from './evaluation-slot.ts';
import type { ContextActivity } from './full-batches.ts';

/** One sequence of a llama.cpp context; `activity` is that of the context. */
export function llamaSlot(context: LlamaContext, activity: ContextActivity): EvaluationSlot {
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
    append: async (tokens) => {
      activity.running++;
      try {
        await sequence.evaluateWithoutGeneratingNewTokens(tokens as Token[]);
      } finally {
        activity.running--;
      }
    },
    sample: async function* (tokens, sampling, seed) {
      const { temperature, topP, topK } = sampling;
      activity.running++;
      try {
        yield* sequence.evaluate(tokens as Token[], { temperature, topP, topK, minP: 0, seed, yieldEogToken: true });
      } finally {
        activity.running--;
      }
    },
    save: async (file) => (await sequence.saveStateToFile(file)).fileSize,
    load: (file) => sequence.loadStateFromFile(file, { acceptRisk: true }),
    reset: async () => {
      await sequence.dispose();
      sequence = context.getSequence();
    },
  };
}
