import { CoHarnessError } from '../base/errors.ts';
import type { ChatMessage, ModelBackend } from './model-backend.ts';

/** How many prompts were answered differently with the adapter. */
export interface AdapterProof {
  compared: number;
  differing: number;
}

/**
 * Greedy answers of the adapted and the base backend to the same prompts must differ at least once: an adapter whose tensors found no place
 * loads without a word and leaves the base model (https://github.com/vllm-project/vllm/issues/34186). Call it before any result is
 * recorded under the adapter's name. Throws {@link CoHarnessError} `adapter-inactive`; rejects with ProviderError as `generate` does.
 */
export async function proveAdapterActive(
  adapted: ModelBackend,
  base: ModelBackend,
  prompts: readonly (readonly ChatMessage[])[],
  signal?: AbortSignal,
): Promise<AdapterProof> {
  const differs = await Promise.all(
    prompts.map(async (messages) => {
      const [withAdapter, without] = await Promise.all([
        answer(adapted, messages, signal),
        answer(base, messages, signal),
      ]);
      return withAdapter !== without;
    }),
  );
  const differing = differs.filter(Boolean).length;
  if (differing > 0) return { compared: prompts.length, differing };
  throw new CoHarnessError(
    'adapter-inactive',
    `The adapter ${adapted.identity.adapter ?? '(none)'} changes nothing: all ${prompts.length} greedy answers equal those of the base model. ` +
      'Either it was made for other weights, or its training had no effect (a learning rate of 0, no supervised token). Nothing is recorded under its name.',
    { details: { compared: prompts.length, base: base.identity.base, adapter: adapted.identity.adapter } },
  );
}

async function answer(
  backend: ModelBackend,
  messages: readonly ChatMessage[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const generation = await backend.generate({
    messages,
    sampling: { temperature: 0, topP: 1, topK: 0 },
    seed: 0,
    maxTokens: 48,
    stop: [],
    ...(signal === undefined ? {} : { signal }),
  });
  return generation.completionTokenIds?.join(' ') ?? generation.text;
}
