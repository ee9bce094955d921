import { AbortedError } from '../../base/errors.ts';
import { runProgram } from '../../sandbox/run-program.ts';
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
 * Any program that reads the prompt on stdin and prints its answer: a coding agent's command line, a script, an editor. A time-out ends it and
 * all it started; that, an exit code ≠ 0 and a program that cannot start are `failed` replies.
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
    read: (prompt, { signal }) => ask(command, prompt, timeoutMs, signal),
    close: async () => {},
  };
}

async function ask(
  command: readonly [string, ...string[]],
  prompt: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<ReaderReply> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const end = await runProgram({
    command,
    directory: process.cwd(),
    environment: process.env,
    input: prompt,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    outputCharacters: MOST_OUTPUT_CHARACTERS,
  });
  if (signal?.aborted) throw new AbortedError();
  if (end.kind === 'printed') return { kind: 'text', text: end.text, isComplete: true };
  const why = end.kind === 'stopped' ? `${command[0]} gave no answer within ${timeoutMs} ms` : end.problem;
  return { kind: 'failed', why };
}
