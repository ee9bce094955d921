import { CoHarnessError } from '../base/errors.ts';

export type ProviderFault = 'unreachable' | 'unauthorised' | 'rate-limited' | 'quota' | 'bad-response' | 'engine';

/**
 * Infrastructure of a model engine failed. Unscored, counted, may be retried when `retryable`; never evidence about φ or θ,
 * but where a server that works refuses what φ asked (`bad-response`, see `refusedRequest`).
 */
export class ProviderError extends CoHarnessError {
  readonly fault: ProviderFault;
  readonly retryable: boolean;

  constructor(
    fault: ProviderFault,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(`provider-${fault}`, message, options);
    this.name = 'ProviderError';
    this.fault = fault;
    this.retryable = fault === 'unreachable' || fault === 'rate-limited' || fault === 'engine';
  }
}
