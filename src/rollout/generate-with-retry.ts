import type { HarnessRetry } from '../harness/harness.ts';
import type { Generation, GenerationRequest, ModelBackend } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import { backOff, pauseBefore } from './back-off.ts';

export interface RetryObserver {
  failed(error: ProviderError): void;
  pausing(attempt: number, pauseMs: number, why: string): void;
}

/**
 * One generation; a retryable ProviderError is tried again up to `retry.modelErrors` times with φ's back-off, or the pause the server asked for
 * (`details.retryAfterMs`). The seed stays, so that a retried call gives what the first would have given. Rejects with the last ProviderError, or
 * AbortedError.
 */
export async function generateWithRetry(
  model: Pick<ModelBackend, 'generate'>,
  request: GenerationRequest,
  retry: HarnessRetry,
  observer: RetryObserver,
): Promise<Generation> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await model.generate(request);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      observer.failed(error);
      if (!error.retryable || attempt > retry.modelErrors) throw error;
      const pauseMs = pauseBefore(attempt, retry, error.details.retryAfterMs);
      observer.pausing(attempt, pauseMs, error.message);
      await backOff(pauseMs, request.signal);
    }
  }
}
