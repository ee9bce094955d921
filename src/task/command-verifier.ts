import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { contentHash } from '../base/content-hash.ts';
import { fileHashOrNull } from '../base/file-hash.ts';
import { jsonValue } from '../base/json.ts';
import { runProgram } from '../sandbox/run-program.ts';
import type { Task } from './task.ts';
import type { Verdict, Verifier } from './verifier.ts';

const CODE_VERSION = 1;
const MOST_OUTPUT_CHARACTERS = 1_000_000;

export interface CommandOptions {
  /** Program and arguments; no shell reads them. */
  command: readonly [string, ...string[]];
  /** Folder in which it runs; relative paths in `command` are looked up there. */
  directory: string;
  /** Milliseconds per answer, > 0. */
  timeoutMs: number;
}

/**
 * Lets a program judge. It gets one JSON object on stdin, `{"task": {id, problem, answer, fields}, "answer": TEXT}`,
 * and prints a score in [0, 1] on stdout, or `{"score": …, "extracted": TEXT, "why": TEXT}`. No final answer scores 0
 * without asking. At most one process per core runs at a time.
 *
 * Time-out, exit code ≠ 0, a program that cannot start and any other output are `unscored` (the judge failed, not the
 * agent); the time-out and `signal` end the program's whole process group. `version` covers the command and the content of the
 * files it names.
 */
export function commandVerifier(options: CommandOptions): Verifier {
  const gate = concurrencyLimit(availableParallelism());
  return {
    version: contentHash({
      kind: 'command',
      command: options.command,
      timeoutMs: options.timeoutMs,
      files: options.command.map((part) => fileHashOrNull(resolve(options.directory, part))),
      code: CODE_VERSION,
    }),
    verify: async (task, answer, signal) => {
      if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
      return gate(() => judge(options, inputOf(task, answer), signal));
    },
  };
}

function inputOf({ id, problem, answer: expected, fields }: Task, answer: string): string {
  return `${JSON.stringify({ task: { id, problem, answer: expected, fields: fields ?? {} }, answer })}\n`;
}

const scoreSchema = z.number().min(0).max(1);
const outputSchema = z.union([
  scoreSchema.transform((score) => ({ score, extracted: null, why: 'judged by command' })),
  z.object({
    score: scoreSchema,
    extracted: z.string().nullable().default(null),
    why: z.string().default('judged by command'),
  }),
]);

async function judge(
  { command, directory, timeoutMs }: CommandOptions,
  input: string,
  signal: AbortSignal | undefined,
): Promise<Verdict> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const end = await runProgram({
    command,
    directory,
    environment: process.env,
    input,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    outputCharacters: MOST_OUTPUT_CHARACTERS,
  });
  if (end.kind === 'printed') return readVerdict(end.text.trim());
  if (end.kind === 'infrastructure') return { kind: 'unscored', why: `the verifier command failed: ${end.problem}` };
  const why = end.kind === 'stopped' ? `took longer than ${timeoutMs} ms` : `failed: ${end.problem}`;
  return { kind: 'unscored', why: `the verifier command ${why}`, mayBeAnswer: true };
}

function readVerdict(printed: string): Verdict {
  const parsed = outputSchema.safeParse(jsonValue(printed));
  if (parsed.success) return { kind: 'scored', ...parsed.data };
  return {
    kind: 'unscored',
    why: `the verifier command printed ${JSON.stringify(printed.slice(0, 200))}, expected a score in [0, 1] or {"score": …}`,
    mayBeAnswer: true,
  };
}

/** Runs at most `limit` steps at once, first come first served. */
function concurrencyLimit(limit: number): <T>(step: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (step) => {
    if (running >= limit) await new Promise<void>((resume) => waiting.push(resume));
    else running++;
    try {
      return await step();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
