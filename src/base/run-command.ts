import { spawn } from 'node:child_process';
import { closeAfterExit } from './close-after-exit.ts';
import { AbortedError, CoHarnessError } from './errors.ts';

export interface CommandResult {
  /** Exit code; 128 + 15 where it was ended by the time limit. */
  code: number;
  /** Standard output and standard error, each at most its last 200,000 characters. */
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  signal?: AbortSignal;
  /** Ends the command after this many milliseconds; none = no limit. */
  maxWallMs?: number;
  /** Called for each full line of either stream, as it comes. */
  onLine?: (line: string) => void;
}

const KEPT_CHARACTERS = 200_000;
const KILL_AFTER_MS = 5_000;

function lineSplitter(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split(/\r?\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line);
  };
}

/**
 * Runs a program without a shell and without standard input. Resolves whatever its exit code is. Rejects with CoHarnessError
 * `command-missing` when it cannot be started, and with AbortedError when `signal` fires (the program is ended first).
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(new AbortedError());
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kept = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      const onText = options.onLine ? lineSplitter(options.onLine) : undefined;
      child[name].setEncoding('utf8').on('data', (text: string) => {
        kept[name] = (kept[name] + text).slice(-KEPT_CHARACTERS);
        onText?.(text);
      });
    }
    let killTimer: NodeJS.Timeout | undefined;
    const end = () => {
      child.kill('SIGTERM');
      killTimer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    };
    const limit = options.maxWallMs === undefined ? undefined : setTimeout(end, options.maxWallMs);
    signal?.addEventListener('abort', end, { once: true });
    const settle = () => {
      clearTimeout(limit);
      clearTimeout(killTimer);
      signal?.removeEventListener('abort', end);
    };
    child.on('error', (cause: NodeJS.ErrnoException) => {
      settle();
      const reason = cause.code === 'ENOENT' ? 'was not found' : `cannot be run (${cause.message})`;
      reject(
        new CoHarnessError('command-missing', `The program ${command} ${reason}. Install it or correct the path.`, {
          details: { command },
          cause,
        }),
      );
    });
    closeAfterExit(child);
    child.on('close', (code) => {
      settle();
      if (signal?.aborted) reject(new AbortedError());
      else resolve({ code: code ?? 143, ...kept });
    });
  });
}
