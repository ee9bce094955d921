import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { contentHash } from '../base/content-hash.ts';
import { errorMessage } from '../base/errors.ts';
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
 * agent); the time-out ends the program's whole process group. `version` covers the command and the content of the
 * files it names.
 */
export function commandVerifier(options: CommandOptions): Verifier {
  const gate = concurrencyLimit(availableParallelism());
  return {
    version: contentHash({
      kind: 'command',
      command: options.command,
      timeoutMs: options.timeoutMs,
      files: options.command.map((part) => fileHash(resolve(options.directory, part))),
      code: CODE_VERSION,
    }),
    verify: async (task, answer) => {
      if (answer === null) return { kind: 'scored', score: 0, extracted: null, why: 'no final answer' };
      return gate(async () => readVerdict(await runProgram(options, inputOf(task, answer))));
    },
  };
}

function inputOf({ id, problem, answer: expected, fields }: Task, answer: string): string {
  return `${JSON.stringify({ task: { id, problem, answer: expected, fields: fields ?? {} }, answer })}\n`;
}

function fileHash(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return null;
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}

type ProgramOutcome = { stdout: string } | { failure: string };

const scoreSchema = z.number().min(0).max(1);
const outputSchema = z.union([
  scoreSchema.transform((score) => ({ score, extracted: null, why: 'judged by command' })),
  z.object({
    score: scoreSchema,
    extracted: z.string().nullable().default(null),
    why: z.string().default('judged by command'),
  }),
]);

function readVerdict(outcome: ProgramOutcome): Verdict {
  if ('failure' in outcome) return { kind: 'unscored', why: outcome.failure };
  try {
    const parsed = outputSchema.safeParse(JSON.parse(outcome.stdout));
    if (parsed.success) return { kind: 'scored', ...parsed.data };
  } catch {
    // Not JSON: reported below like any other output of the wrong form.
  }
  return {
    kind: 'unscored',
    why: `the verifier command printed ${JSON.stringify(outcome.stdout.slice(0, 200))}, expected a score in [0, 1] or {"score": …}`,
  };
}

function runProgram({ command, directory, timeoutMs }: CommandOptions, input: string): Promise<ProgramOutcome> {
  const [program, ...args] = command;
  return new Promise((settle) => {
    const child = spawn(program, args, {
      cwd: directory,
      shell: false,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    let stopped: string | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      endProcessGroup(child.pid);
    };
    const timer = setTimeout(() => stop(`the verifier command took longer than ${timeoutMs} ms`), timeoutMs);
    const finish = (outcome: ProgramOutcome) => {
      clearTimeout(timer);
      settle(outcome);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      if (stdout.length > MOST_OUTPUT_CHARACTERS)
        stop(`the verifier command printed more than ${MOST_OUTPUT_CHARACTERS} characters`);
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-2000);
    });
    // A program that does not read its input closes the pipe early; its exit code says whether that was a failure.
    child.stdin.on('error', () => {});
    child.on('error', (error) =>
      finish({ failure: `the verifier command ${program} cannot run: ${errorMessage(error)}` }),
    );
    child.on('close', (code, signal) => {
      if (stopped !== undefined) finish({ failure: stopped });
      else if (code !== 0)
        finish({
          failure: `the verifier command ended with ${code ?? signal}: ${stderr.trim() || 'nothing on stderr'}`,
        });
      else finish({ stdout: stdout.trim() });
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
