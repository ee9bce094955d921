import { ProviderError } from '../model/provider-error.ts';
import type { OwnCause } from '../trajectory/trajectory.ts';

/** Statuses with which a server refuses what was asked, not who asks or where. */
const REFUSALS: ReadonlySet<unknown> = new Set([400, 413, 422]);

/** The cause where an engine that answers refused what φ asked of it; empty where it failed, or nobody knows. */
export function refusedRequest(error: unknown): { cause?: OwnCause } {
  if (!(error instanceof ProviderError) || error.fault !== 'bad-response') return {};
  const { status, isForeign } = error.details;
  // What a backend throws against its contract says nothing of the request.
  if (isForeign === true) return {};
  return status === undefined || REFUSALS.has(status) ? { cause: 'refused-request' } : {};
}
