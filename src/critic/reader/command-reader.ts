import { spawn } from 'node:child_process';
import { AbortedError, errorMessage } from '../../base/errors.ts';
import type { CriticReader, ReaderReply } from './critic-reader.ts';

const MOST_OUTPUT_CHARACTERS = 1_000_000;
const PROMPT_CHARACTERS = 200_000;

export interface CommandReaderOptions {
  /** Program and arguments; no shell reads them. */
  command: readonly [string, ...string[]];
  /** Milliseconds for one answer, > 0. */
  timeoutMs: number;
  /** Default 200,000. */
  promptCharacters?: number;
}

/**
 * Any program that reads the prompt on stdin and prints its answer: a coding agent's command line, a script, an editor. A time-out ends its
 * whole process group; that, an exit code ≠ 0 and a program that cannot start are `failed` replies.
 */
export function commandReader({
  command,
  timeoutMs,
  promptCharacters = PROMPT_CHARACTERS,
}: CommandReaderOptions): CriticReader {
  return {
    name: `command:${command.join(' ')}`,
    promptCharacters,
    concurrency: 1,
    read: (prompt, { signal }) => runProgram(command, prompt, timeoutMs, signal),
    close: async () => {},
  };
}

function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  input: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ReaderReply> {
  if (signal?.aborted) return Promise.reject(new AbortedError());
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { shell: false, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    let stopped: string | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      endProcessGroup(child.pid);
    };
    const onAbort = () => stop('stopped');
    const timer = setTimeout(() => stop(`${program} gave no answer within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    const finish = (reply: ReaderReply) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (signal?.aborted) reject(new AbortedError());
      else resolve(reply);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output.stdout += chunk;
      if (output.stdout.length > MOST_OUTPUT_CHARACTERS)
        stop(`${program} printed more than ${MOST_OUTPUT_CHARACTERS} characters`);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      output.stderr = (output.stderr + chunk).slice(-2000);
    });
    // A program that does not read its input closes the pipe early; its output says whether that was right.
    child.stdin.on('error', () => {});
    child.on('error', (error) => finish({ kind: 'failed', why: `${program} cannot run: ${errorMessage(error)}` }));
    child.on('close', (code, ended) => {
      if (stopped !== undefined) finish({ kind: 'failed', why: stopped });
      else if (code !== 0)
        finish({
          kind: 'failed',
          why: `${program} ended with ${code ?? ended}: ${output.stderr.trim() || 'nothing on stderr'}`,
        });
      else finish({ kind: 'text', text: output.stdout, isComplete: true });
    });
    child.stdin.end(input);
  });
}

function endProcessGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
