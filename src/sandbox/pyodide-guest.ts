import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import type { Guest, GuestLimits, GuestTask } from './guest.ts';
import type { SandboxRun } from './sandbox.ts';

/** What `setup` puts into the user's cache. */
export interface PyodideInstallation {
  /** The program. */
  deno: string;
  /** Folder of the pyodide package. */
  pyodide: string;
  /** Memory of an interpreter that has just started. */
  snapshot: string;
  /** A folder that Deno may use for itself. */
  denoFolder: string;
}

const PAGE_BYTES = 64 << 10;
/** Memory that the interpreter is linked for. */
const FIRST_PAGES = 480;
const START_MS = 120_000;
/** A reply that is on its way when time is over still counts. */
const GRACE_MS = 100;
const MEMORY_LOOK_MS = 100;
/** What the process may grow beside the memory of the interpreter. */
const PROCESS_SLACK_BYTES = 192 << 20;
/** Processor seconds after which the system ends an interpreter that nobody watches any more. */
const MOST_CPU_SECONDS = 900;
/** Characters of a reply line per character that may be kept: JSON may escape each with six. */
const LINE_FACTOR = 20;

const PROGRAM = fileURLToPath(new URL('./pyodide-guest.deno.mjs', import.meta.url));

interface Reply {
  id: number;
  kind: 'ok' | 'error' | 'memory';
  said: string;
  output: string;
  isUsable: boolean;
}

type Ended = { ended: 'timeout' | 'memory' | 'error' | 'infrastructure'; why: string };

/** Arguments of Deno for the guest's program. `make` writes the snapshot and ends; `use` serves requests. */
export function pyodideArguments(
  installation: PyodideInstallation,
  mode: 'make' | 'use',
  memoryBytes: number,
): string[] {
  const { pyodide, snapshot } = installation;
  const pages = Math.min(65_536, FIRST_PAGES + Math.ceil(memoryBytes / PAGE_BYTES));
  return [
    'run',
    ...['--no-prompt', '--no-remote', '--no-npm', '--no-config', '--no-lock', '--no-code-cache'],
    '--v8-flags=--max-old-space-size=256,--disallow-code-generation-from-strings',
    mode === 'make' ? `--allow-read=${pyodide}` : `--allow-read=${pyodide},${snapshot}`,
    ...(mode === 'make' ? [`--allow-write=${snapshot}`] : []),
    PROGRAM,
    pyodide,
    snapshot,
    mode,
    String(pages),
  ];
}

export function pyodideEnvironment({ denoFolder }: PyodideInstallation): NodeJS.ProcessEnv {
  return { DENO_DIR: denoFolder, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
}

/** A Deno process with one Python interpreter. Rejects with CoHarnessError `sandbox-unavailable` when it does not start. */
export async function startPyodideGuest(installation: PyodideInstallation, memoryBytes: number): Promise<Guest> {
  const args = pyodideArguments(installation, 'use', memoryBytes);
  const options = {
    env: pyodideEnvironment(installation),
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
  };
  const limited = `ulimit -c 0; ulimit -t ${MOST_CPU_SECONDS}; exec "$0" "$@"`;
  const child =
    process.platform === 'win32'
      ? spawn(installation.deno, args, options)
      : spawn('/bin/sh', ['-c', limited, installation.deno, ...args], options);
  const guest = new PyodideProcess(child);
  const failure = await guest.started();
  if (failure === null) return guest;
  await guest.end();
  throw new CoHarnessError('sandbox-unavailable', `The Python sandbox does not start: ${failure}`);
}

class PyodideProcess implements Guest {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #expected: ((reply: Reply | Ended) => void) | null = null;
  #text = '';
  #errors = '';
  #longestLine = 10_000;
  #lastId = 0;
  #ended: Ended | null = null;
  #baseBytes = 0;

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.#child = child;
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-2_000);
    });
    child.on('error', (error) => this.#finish({ ended: 'infrastructure', why: errorMessage(error) }));
    child.on('close', (code, signal) => this.#finish(endOf(code, signal, this.#errors)));
  }

  async started(): Promise<string | null> {
    const timer = setTimeout(
      () => this.#stop({ ended: 'infrastructure', why: `not ready after ${START_MS} ms` }),
      START_MS,
    );
    const reply = await this.#reply();
    clearTimeout(timer);
    this.#baseBytes = (await this.#residentBytes()) ?? 0;
    return 'ended' in reply ? reply.why : null;
  }

  isAlive(): boolean {
    return this.#ended === null;
  }

  async run(task: GuestTask, limits: GuestLimits): Promise<SandboxRun> {
    if (this.#ended !== null) return { kind: 'infrastructure', problem: this.#ended.why, output: '' };
    this.#longestLine = 10_000 + LINE_FACTOR * limits.outputCharacters;
    const id = ++this.#lastId;
    let isRunning = true;
    const clock = setTimeout(() => {
      setTimeout(() => {
        if (isRunning) this.#stop({ ended: 'timeout', why: `no value within ${limits.wallMs} ms` });
      }, GRACE_MS);
    }, limits.wallMs);
    const scale = setInterval(() => void this.#weigh(limits, () => isRunning && id === this.#lastId), MEMORY_LOOK_MS);
    this.#child.stdin.write(`${JSON.stringify({ id, task, limits })}\n`);
    const reply = await this.#reply();
    isRunning = false;
    clearTimeout(clock);
    clearInterval(scale);
    return this.#asRun(reply, limits);
  }

  /** Only a new process is surely untouched. */
  async renew(): Promise<boolean> {
    return false;
  }

  async end(): Promise<void> {
    this.#stop({ ended: 'infrastructure', why: 'the interpreter was ended' });
  }

  #asRun(reply: Reply | Ended, limits: GuestLimits): SandboxRun {
    if ('ended' in reply) return { kind: reply.ended, problem: reply.why, output: '' };
    const { kind, said, output, isUsable } = reply;
    if (!isUsable || kind === 'memory') this.#stop({ ended: 'infrastructure', why: 'the interpreter was ended' });
    if (kind === 'ok') return { kind, value: said, output };
    const limit = `more than the allowed ${Math.round(limits.memoryBytes / 2 ** 20)} MiB of memory were asked for`;
    return { kind, problem: kind === 'memory' ? `${said}\n${limit}` : said, output };
  }

  #reply(): Promise<Reply | Ended> {
    if (this.#ended !== null) return Promise.resolve(this.#ended);
    this.#hold(true);
    return new Promise((resolve) => {
      this.#expected = (reply) => {
        this.#expected = null;
        this.#hold(false);
        resolve(reply);
      };
    });
  }

  #read(text: string): void {
    this.#text += text;
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n')) {
      const line = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 1);
      const reply = JSON.parse(line) as Reply;
      if (reply.id === this.#lastId) this.#expected?.(reply);
    }
    if (this.#text.length > this.#longestLine)
      this.#stop({ ended: 'error', why: 'the interpreter said more than it may' });
  }

  async #weigh({ memoryBytes }: GuestLimits, isCurrent: () => boolean): Promise<void> {
    const bytes = await this.#residentBytes();
    if (bytes === null || !isCurrent() || bytes < this.#baseBytes + memoryBytes + PROCESS_SLACK_BYTES) return;
    const why = `more than the allowed ${Math.round(memoryBytes / 2 ** 20)} MiB of memory were used`;
    this.#stop({ ended: 'memory', why });
  }

  /** Null where the system does not tell (no /proc); there the interpreter's own maximum stands alone. */
  async #residentBytes(): Promise<number | null> {
    const text = await readFile(`/proc/${this.#child.pid}/statm`, 'utf8').catch(() => null);
    const pages = Number(text?.split(' ')[1]);
    return Number.isNaN(pages) ? null : pages * 4_096;
  }

  #stop(why: Ended): void {
    this.#finish(why);
    this.#child.kill('SIGKILL');
  }

  #finish(why: Ended): void {
    this.#ended ??= why;
    this.#expected?.(why);
  }

  /** A process without work does not keep the program alive; it ends when its standard input closes. */
  #hold(isNeeded: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    const handles = [this.#child, stdin, stdout, stderr] as unknown as { ref(): void; unref(): void }[];
    for (const handle of handles) isNeeded ? handle.ref() : handle.unref();
  }
}

/** What a process that ended by itself, or by the system, says about the code that ran in it. */
function endOf(code: number | null, signal: NodeJS.Signals | null, errors: string): Ended {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || /out of memory/i.test(errors)) {
    return { ended: 'memory', why: 'the interpreter ran out of memory' };
  }
  if (signal === 'SIGXCPU')
    return { ended: 'timeout', why: `more than ${MOST_CPU_SECONDS} s of processor time were used` };
  if (signal === null && code !== null && code < 128) {
    return {
      ended: 'error',
      why: `the code ended its interpreter (exit code ${code}) ${errors.trim().slice(-300)}`.trim(),
    };
  }
  return { ended: 'infrastructure', why: `the interpreter was ended by ${signal ?? code}` };
}
