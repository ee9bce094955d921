import { spawn } from 'node:child_process';
import { errorMessage } from '../base/errors.ts';

const MOST_OUTPUT_CHARACTERS = 16_000_000;
/** What a program says that was kept from its work by something outside it (EX_TEMPFAIL of sysexits.h). */
export const TRY_LATER = 75;

/** How a program ended. `infrastructure`: it did not start, was ended by the system, or says itself that something outside failed. */
export type ProgramEnd =
  | { kind: 'printed'; text: string }
  | { kind: 'crashed'; problem: string }
  | { kind: 'stopped' }
  | { kind: 'infrastructure'; problem: string };

export interface ProgramOptions {
  command: readonly [string, ...string[]];
  directory: string;
  environment: NodeJS.ProcessEnv;
  /** All of standard input. */
  input: string;
  /** Ends the program and everything that it started. */
  signal: AbortSignal;
  /** More characters on standard output end it as crashed; default 16 million. */
  outputCharacters?: number;
  /** Another user to run as; only root may ask for it. */
  user?: { uid: number; gid: number };
}

/** Runs a program to its end, with no shell between. Never rejects. */
export function runProgram(options: ProgramOptions): Promise<ProgramEnd> {
  const { command, directory, environment, input, signal, outputCharacters = MOST_OUTPUT_CHARACTERS } = options;
  const [program, ...args] = command;
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ kind: 'stopped' });
    const child = spawn(program, args, {
      cwd: directory,
      env: environment,
      ...options.user,
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    let stopped: ProgramEnd | null = null;
    const stop = (end: ProgramEnd) => {
      stopped ??= end;
      endGroup(child.pid);
    };
    const abort = () => stop({ kind: 'stopped' });
    signal.addEventListener('abort', abort, { once: true });
    const finish = (end: ProgramEnd) => {
      signal.removeEventListener('abort', abort);
      // What it left running in the background has no more right to the machine.
      endGroup(child.pid);
      resolve(stopped ?? end);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > outputCharacters)
        stop({ kind: 'crashed', problem: `it printed more than ${outputCharacters} characters` });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-2_000);
    });
    child.stdin.on('error', () => {});
    child.on('error', (error) =>
      finish({ kind: 'infrastructure', problem: `${program} cannot be started: ${errorMessage(error)}` }),
    );
    child.on('exit', (code, killedBy) => {
      // Its own children may hold the pipes open; it has said what it has to say.
      const closePipes = () => {
        child.stdout.destroy();
        child.stderr.destroy();
      };
      setTimeout(closePipes, 200).unref();
      child.once('close', () => finish(endOf(program, code, killedBy, stdout, stderr)));
    });
    child.stdin.end(input);
  });
}

function endOf(
  program: string,
  code: number | null,
  killedBy: string | null,
  stdout: string,
  stderr: string,
): ProgramEnd {
  const said = stderr.trim() === '' ? 'nothing on standard error' : stderr.trim().slice(-600);
  if (code === 0) return { kind: 'printed', text: stdout };
  if (code === TRY_LATER)
    return { kind: 'infrastructure', problem: `${program} asks to be tried later (exit code 75): ${said}` };
  if (killedBy === 'SIGKILL' || killedBy === 'SIGTERM') {
    return { kind: 'infrastructure', problem: `${program} was ended from outside (${killedBy}): ${said}` };
  }
  return { kind: 'crashed', problem: `${program} ended with ${code ?? killedBy}: ${said}` };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Nothing of it runs any more.
  }
}
