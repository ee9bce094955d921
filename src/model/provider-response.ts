import { ProviderError, type ProviderFault } from './provider-error.ts';

/** A pause longer than this is no rate limit to wait out, but a used-up quota. */
const LONGEST_PAUSE_MS = 10 * 60_000;
const DEFAULT_PAUSE_MS = 1000;

/** An unsuccessful HTTP answer of a model server, `body` free of secrets. */
export interface RefusedResponse {
  server: string;
  status: number;
  headers: Headers;
  body: string;
}

/** `details.retryAfterMs` tells how long the server asked to wait where it limits the rate. */
export function providerErrorOf(response: RefusedResponse): ProviderError {
  const { server, status } = response;
  const said = response.body.trim() === '' ? 'and said nothing' : `and said: ${response.body.trim().slice(0, 300)}`;
  const details: Record<string, unknown> = { server, status };
  const fault = (kind: ProviderFault, next: string) =>
    new ProviderError(kind, `${server} answered ${status} ${said}. ${next}`, { details });
  if (status === 401 || status === 403)
    return fault('unauthorised', 'Check the key in the environment variable that the configuration names.');
  if (status === 402) return fault('quota', 'The account has nothing left; the run can be continued later.');
  if (status === 429) {
    const retryAfterMs = retryAfter(response.headers) ?? DEFAULT_PAUSE_MS;
    details.retryAfterMs = retryAfterMs;
    return retryAfterMs > LONGEST_PAUSE_MS || /quota|billing/i.test(response.body)
      ? fault('quota', 'The quota is used up; the run can be continued later.')
      : fault('rate-limited', `It may be asked again after ${Math.ceil(retryAfterMs / 1000)} s.`);
  }
  if (status >= 500 || status === 408) return fault('unreachable', 'Check the server, then continue.');
  return fault('bad-response', 'Check the address and the model name.');
}

/** True for the many ways in which servers say that the prompt does not fit. */
export function isWindowOverflow(response: RefusedResponse): boolean {
  return (
    (response.status === 400 || response.status === 413 || response.status === 422) &&
    /context[_ ](length|window|size)|maximum context|exceeds? the (available )?context/i.test(response.body)
  );
}

/** Milliseconds; undefined when the header is missing or unreadable. */
function retryAfter(headers: Headers): number | undefined {
  const milliseconds = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
