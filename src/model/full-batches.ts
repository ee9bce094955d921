import type { CustomBatchingPrioritizationStrategy } from 'node-llama-cpp';

/** More turns than a sampled token needs on its way from the engine to the loop that asks for the next one. */
const MOST_TURNS_WAITED = 64;

/** How many sequences of a context are evaluating, and so are going to ask for their next token at once. */
export interface ContextActivity {
  running: number;
}

/**
 * Decides what goes into the next batch of a context, so that batches are full and no answer depends on what else is in them.
 *
 * Prompts go alone, one after the other: in a batch of unequal lengths the engine evaluates what is left over separately, and where that is a
 * single last token, it is rounded differently (seen at temperature 0 in 1 of 6 answers). All other batches hold one token of every
 * running sequence: left to itself, node-llama-cpp 3.22.1 starts while some are still a few promises away from asking for their token, and
 * splits 8 sequences into 3 and 5. A batch with nothing in it costs a turn of the promise queue. Measured:
 * docs/decisions/inference-batching.md.
 */
export function fullBatches(activity: ContextActivity): CustomBatchingPrioritizationStrategy {
  let turnsWaited = 0;
  return ({ items, size }) => {
    const prompt = items.find(({ tokens }) => tokens.length > 1);
    if (prompt !== undefined) return [{ item: prompt, processAmount: promptShare(prompt.tokens.length, size) }];
    if (items.length < activity.running && turnsWaited < MOST_TURNS_WAITED) {
      turnsWaited++;
      return [];
    }
    turnsWaited = 0;
    return items.slice(0, size).map((item) => ({ item, processAmount: 1 }));
  };
}

/** As much as fits, but never all but one: that one would be evaluated alone. */
function promptShare(length: number, size: number): number {
  return length === size + 1 ? size - 1 : Math.min(length, size);
}
