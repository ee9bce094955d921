import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AbortedError, CoHarnessError, errorMessage } from './errors.ts';

const STALLED_MS = 60_000;
const PROGRESS_MS = 10_000;

/** `status` is that of an HTTP answer other than 2xx, null where none came or the connection broke; `problem` a clause without a full stop. */
export interface DownloadFailure {
  status: number | null;
  problem: string;
  cause?: unknown;
}

export interface DownloadOptions {
  url: string;
  headers?: Record<string, string>;
  /** Absolute path of the complete file; while it grows it is `<file>.partial`. */
  file: string;
  /** Every ten seconds, how many MB have come. */
  log: (line: string) => void;
  signal?: AbortSignal;
  /** A longer file is refused as soon as that shows; default: no limit. */
  mostBytes?: number;
  /** The error to throw: only the caller knows what was wanted and what to do next. */
  failed: (failure: DownloadFailure) => CoHarnessError;
}

/**
 * One GET, streamed into a file that appears under its name only when it is complete. Gives up after 60 s without data. Throws what `failed` returns, and
 * AbortedError when `signal` fires; a `.partial` may stay then. Never retries.
 */
export async function downloadFile(options: DownloadOptions): Promise<void> {
  const { url, headers, file, log, signal, mostBytes = Number.POSITIVE_INFINITY, failed } = options;
  const stalled = new AbortController();
  const watch = setTimeout(() => stalled.abort(new Error(`no data for ${STALLED_MS / 1000} s`)), STALLED_MS);
  const either = signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal;
  try {
    const response = await fetch(url, { signal: either, headers: headers ?? {} });
    if (!response.ok || response.body === null) {
      throw failed({ status: response.status, problem: `the server answered ${response.status}` });
    }
    const announced = announcedBytes(response);
    const tooLong = () => failed({ status: null, problem: `the file is longer than ${mostBytes} bytes` });
    if (announced > mostBytes) {
      await response.body.cancel();
      throw tooLong();
    }
    const progress = progressLines(announced, log);
    let bytes = 0;
    const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        watch.refresh();
        bytes += chunk.length;
        if (bytes > mostBytes) throw tooLong();
        progress(bytes);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(`${file}.partial`), { signal: either });
    if (announced > 0 && bytes !== announced) {
      throw failed({ status: null, problem: `the connection ended after ${bytes} of ${announced} bytes` });
    }
  } catch (error) {
    if (signal?.aborted) throw new AbortedError();
    if (CoHarnessError.isInstance(error)) throw error;
    const problem = errorMessage(stalled.signal.reason ?? (error as Error).cause ?? error);
    throw failed({ status: null, problem, cause: error });
  } finally {
    clearTimeout(watch);
  }
  await rename(`${file}.partial`, file);
}

/** 0 where the server does not say, or says the length of a compressed body that `fetch` unpacks. */
function announcedBytes(response: Response): number {
  return response.headers.has('content-encoding') ? 0 : Number(response.headers.get('content-length') ?? 0);
}

/** Says every ten seconds how much has come. `total` is 0 where it is not known. */
function progressLines(total: number, log: (line: string) => void): (bytes: number) => void {
  let shown = performance.now();
  return (bytes) => {
    if (performance.now() - shown <= PROGRESS_MS) return;
    shown = performance.now();
    const share = total > 0 ? ` of ${Math.round(total / 1e6)}` : '';
    log(`  ${Math.round(bytes / 1e6)}${share} MB`);
  };
}
