import { setTimeout as sleep } from 'node:timers/promises';
import { AbortedError } from '../base/errors.ts';
import type { Generation, GenerationRequest, ModelBackend } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/**
 * One generation; a retryable ProviderError is tried again up to `retries` times with doubling pauses, or the pause the server asked for
 * (`details.retryAfterMs`). The seed stays, so that a retried call gives what the first would have given. Rejects with the last ProviderError, or
 * AbortedError. `onFault` hears of every failure.
 */
export async function generateWithRetry(
  model: Pick<ModelBackend, 'generate'>,
  request: GenerationRequest,
  retries: number,
  onFault: (error: ProviderError) => void,
): Promise<Generation> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await model.generate(request);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      onFault(error);
      if (!error.retryable || attempt >= retries) throw error;
      await pause(pauseMs(error, attempt), request.signal);
    }
  }
}

function pauseMs(error: ProviderError, attempt: number): number {
  const asked = error.details.retryAfterMs;
  return Math.min(LONGEST_PAUSE_MS, typeof asked === 'number' && asked > 0 ? asked : FIRST_PAUSE_MS * 2 ** attempt);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (cause) {
    if (signal?.aborted) throw new AbortedError();
    throw cause;
  }
}
