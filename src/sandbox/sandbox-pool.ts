import { AbortedError, errorMessage } from '../base/errors.ts';
import type { Guest, GuestTask } from './guest.ts';
import {
  DEFAULT_SANDBOX_LIMITS,
  type Sandbox,
  type SandboxLimits,
  type SandboxProgram,
  type SandboxRun,
  type SandboxSession,
} from './sandbox.ts';

const MOST_CODE_CHARACTERS = 1_000_000;
/** A free guest that does not come for so long is a fault of ours, not of the code. */
const LONGEST_WAIT_MS = 120_000;

export interface PoolOptions {
  /** Rejects with what an `infrastructure` run will say. */
  start(): Promise<Guest>;
  /** Guests that wait for work, ready. */
  spares: number;
  /** Most guests at once; further sessions wait for one. */
  most: number;
}

/**
 * A sandbox over guests that are started when they are first needed and used again where they can be renewed. A session holds one guest from its
 * first run to its end, so that no two sessions ever share a world.
 */
export function pooledSandbox(options: PoolOptions): Sandbox {
  const pool = new GuestPool(options);
  return {
    run: async (code, limits) => {
      const session = openSession(pool);
      try {
        return await session.run(code, limits);
      } finally {
        session.close();
      }
    },
    openSession: () => openSession(pool),
    close: () => pool.close(),
  };
}

function openSession(pool: GuestPool): SandboxSession {
  let guest: Guest | null = null;
  let isClosed = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function perform(task: GuestTask, limits: SandboxLimits): Promise<SandboxRun> {
    if (isClosed) return infrastructure('the session is closed');
    limits.signal?.throwIfAborted();
    try {
      guest ??= await pool.take(limits.signal);
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      return infrastructure(errorMessage(error));
    }
    const run = await untilAborted(guest, task, limits);
    if (!guest.isAlive()) giveBack();
    return run;
  }

  function giveBack(): void {
    if (guest !== null) pool.giveBack(guest);
    guest = null;
  }

  function inTurn(task: GuestTask, limits: SandboxLimits = DEFAULT_SANDBOX_LIMITS): Promise<SandboxRun> {
    const size = JSON.stringify(task).length;
    if (size > MOST_CODE_CHARACTERS) {
      const problem = `the code has ${size} characters, at most ${MOST_CODE_CHARACTERS} are taken`;
      return Promise.resolve({ kind: 'refused', problem, output: '' });
    }
    const run = turn.then(() => perform(task, limits)).catch(asAborted);
    turn = run.catch(() => undefined);
    return run;
  }

  return {
    run: (code, limits) => inTurn({ kind: 'script', code }, limits),
    call: ({ entry, files }: SandboxProgram, args, limits) =>
      inTurn({ kind: 'call', entry, files: Object.fromEntries(files), input: JSON.stringify(args) }, limits),
    close: () => {
      isClosed = true;
      turn.finally(giveBack);
    },
  };
}

function infrastructure(problem: string): SandboxRun {
  return { kind: 'infrastructure', problem, output: '' };
}

function asAborted(error: unknown): never {
  throw error instanceof DOMException ? new AbortedError() : error;
}

/** A run whose caller no longer waits is ended with its guest. */
async function untilAborted(guest: Guest, task: GuestTask, { signal, ...limits }: SandboxLimits): Promise<SandboxRun> {
  // While the guest was started, it may be.
  signal?.throwIfAborted();
  const end = () => void guest.end();
  signal?.addEventListener('abort', end, { once: true });
  try {
    const run = await guest.run(task, limits);
    if (signal?.aborted) throw new AbortedError();
    return run;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

class GuestPool {
  readonly #options: PoolOptions;
  readonly #idle: Guest[] = [];
  readonly #waiting: ((guest: Guest | null) => void)[] = [];
  readonly #all = new Set<Guest>();
  #starting = 0;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** A fresh guest. Rejects with AbortedError, or with what the start says. */
  async take(signal: AbortSignal | undefined): Promise<Guest> {
    if (this.#isClosed) throw new Error('the sandbox is closed');
    for (let guest = this.#idle.pop(); guest !== undefined; guest = this.#idle.pop()) {
      if (guest.isAlive()) return this.#refill(guest);
      this.#drop(guest);
    }
    if (this.#all.size + this.#starting < this.#options.most) return this.#refill(await this.#start());
    const guest = await this.#next(signal);
    return guest ?? this.take(signal);
  }

  /** Renews a guest for the next session, or ends it. */
  giveBack(guest: Guest): void {
    void this.#renewed(guest).then((fresh) => this.#offer(fresh));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake(null);
    await Promise.all([...this.#all].map((guest) => guest.end()));
    this.#all.clear();
    this.#idle.length = 0;
  }

  async #renewed(guest: Guest): Promise<Guest | null> {
    const isFresh = guest.isAlive() && !this.#isClosed && (await guest.renew().catch(() => false));
    if (isFresh) return guest;
    this.#drop(guest);
    return null;
  }

  #offer(guest: Guest | null): void {
    const wake = this.#waiting.shift();
    if (wake !== undefined) wake(guest);
    else if (guest !== null && this.#idle.length < Math.max(1, this.#options.spares)) this.#idle.push(guest);
    else if (guest !== null) this.#drop(guest);
    else this.#startSpare();
  }

  #drop(guest: Guest): void {
    this.#all.delete(guest);
    void guest.end();
  }

  #refill(guest: Guest): Guest {
    this.#startSpare();
    return guest;
  }

  /** Starts the next spare while the caller works with its guest. A start that fails is told to whoever needs it. */
  #startSpare(): void {
    const { spares, most } = this.#options;
    const ready = this.#idle.length + this.#starting;
    if (this.#isClosed || ready >= spares || this.#all.size + this.#starting >= most) return;
    void this.#start().then(
      (guest) => this.#offer(guest),
      () => undefined,
    );
  }

  async #start(): Promise<Guest> {
    this.#starting++;
    try {
      const guest = await this.#options.start();
      if (this.#isClosed) {
        await guest.end();
        throw new Error('the sandbox is closed');
      }
      this.#all.add(guest);
      return guest;
    } finally {
      this.#starting--;
    }
  }

  #next(signal: AbortSignal | undefined): Promise<Guest | null> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        const index = this.#waiting.indexOf(wake);
        if (index >= 0) this.#waiting.splice(index, 1);
        finish();
      };
      const wake = (guest: Guest | null) => settle(() => resolve(guest));
      const abort = () => settle(() => reject(new AbortedError()));
      const tooLong = () => {
        const problem = `no sandbox became free within ${LONGEST_WAIT_MS / 1000} s (${this.#options.most} are in use)`;
        settle(() => reject(new Error(problem)));
      };
      const timer = setTimeout(tooLong, LONGEST_WAIT_MS);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(wake);
    });
  }
}
