import { join } from 'node:path';
import { findProgram } from '../base/find-program.ts';
import { type ProgramEnd, runProgram, TRY_LATER } from './run-program.ts';
import type { SandboxLimits, SandboxRun } from './sandbox.ts';

/** A program of a folder. It sees the folder as its working directory, read-only. */
export interface ProcessTask {
  /** Absolute; everybody may read it. */
  folder: string;
  /** File in the folder and its arguments. */
  command: readonly [string, ...string[]];
  input: string;
}

/** Runs programs. `value` is what they print. Rejects never; a run that is stopped by `limits.signal` ends as `infrastructure`. */
export type ProcessSandbox = (task: ProcessTask, limits: SandboxLimits) => Promise<SandboxRun>;

/** Paths of a usual Linux that programs need; those that are missing are left out. */
const SYSTEM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];
const INSIDE = '/tool';
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8' };
/** As whom programs of root run: the system counts no processes of root itself. */
export const NOBODY = { uid: 65_534, gid: 65_534 };
const MOST_PROCESSES = 256;
const MOST_FILE_BLOCKS = 32_768;

/** Full path of bubblewrap (`bwrap`) on the PATH; null where it is not installed. */
export function findBubblewrap(environment: NodeJS.ProcessEnv = process.env): string | null {
  return findProgram('bwrap', { path: environment.PATH ?? '' });
}

/**
 * Programs in bubblewrap: the system's programs and the folder read-only, an empty /tmp, no network, no environment, no other processes to see; memory,
 * processor time and the size of files are limited by the kernel. Everything that a program started ends with it.
 */
export function bubblewrapSandbox(bubblewrap: string): ProcessSandbox {
  return (task, limits) => {
    const [program, ...args] = task.command;
    const inside = [
      ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
      ...SYSTEM_FOLDERS.flatMap((folder) => ['--ro-bind-try', folder, folder]),
      ...['--proc', '/proc', '--dev', '/dev', '--size', String(64 << 20), '--tmpfs', '/tmp'],
      ...['--ro-bind', task.folder, INSIDE, '--chdir', INSIDE],
      ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
      ...['--', '/bin/sh', '-c', limitedStart(limits), `${INSIDE}/${program}`, ...args],
    ];
    const user = process.getuid?.() === 0 ? NOBODY : undefined;
    return runLimited([bubblewrap, ...inside], '/', {}, task.input, limits, user);
  };
}

/** Programs with the rights of this user: only for those who say so in their configuration. */
export function plainProcess(task: ProcessTask, limits: SandboxLimits): Promise<SandboxRun> {
  const [program, ...args] = task.command;
  const environment = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: process.env.LANG };
  return runLimited([join(task.folder, program), ...args], task.folder, environment, task.input, limits);
}

/**
 * Limits that a program hands down to all it starts. Shells differ in what they can limit, and in the letter for processes; without a limit on these
 * nothing starts, because it alone keeps a fork bomb from the machine.
 */
function limitedStart({ memoryBytes, wallMs }: SandboxLimits): string {
  const seconds = Math.ceil(wallMs / 1000) + 1;
  const limits = [`-v ${Math.ceil(memoryBytes / 1024)}`, `-t ${seconds}`, `-f ${MOST_FILE_BLOCKS}`, '-c 0'];
  const processes = `{ ulimit -u ${MOST_PROCESSES} || ulimit -p ${MOST_PROCESSES}; } 2>/dev/null`;
  const refuse = `{ echo "this shell limits no processes" >&2; exit ${TRY_LATER}; }`;
  return `${limits.map((limit) => `ulimit ${limit} 2>/dev/null`).join('; ')}; ${processes} || ${refuse}; exec "$0" "$@"`;
}

async function runLimited(
  command: [string, ...string[]],
  directory: string,
  environment: NodeJS.ProcessEnv,
  input: string,
  { wallMs, outputCharacters, signal }: SandboxLimits,
  user?: typeof NOBODY,
): Promise<SandboxRun> {
  const time = AbortSignal.timeout(wallMs);
  const end = await runProgram({
    command,
    directory,
    environment,
    input,
    signal: signal === undefined ? time : AbortSignal.any([time, signal]),
    outputCharacters: Math.max(1_000_000, outputCharacters),
    ...(user === undefined ? {} : { user }),
  });
  return asRun(end, time.aborted, wallMs, outputCharacters);
}

function asRun(end: ProgramEnd, isTimeOver: boolean, wallMs: number, most: number): SandboxRun {
  if (end.kind === 'printed') {
    const text = end.text.replace(/\n$/, '');
    const value = text.length <= most ? text : `${text.slice(0, most)}… [${text.length - most} more characters]`;
    return { kind: 'ok', value, output: '' };
  }
  if (end.kind === 'stopped') {
    const problem = isTimeOver ? `no value within ${wallMs} ms` : 'the program was stopped';
    return { kind: isTimeOver ? 'timeout' : 'infrastructure', problem, output: '' };
  }
  return { kind: end.kind === 'crashed' ? 'error' : 'infrastructure', problem: end.problem, output: '' };
}
