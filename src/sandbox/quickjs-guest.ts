import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import type { Guest, GuestLimits, GuestTask } from './guest.ts';
import type { QuickJsRequest, QuickJsWorkerData } from './quickjs-worker.ts';
import type { SandboxRun } from './sandbox.ts';
import { type WebAssemblyModule, webAssembly } from './web-assembly.ts';

/** How long past its limit a run may stay silent. A loop of the guest's that the interpreter does not see ends here. */
const SILENCE_MS = 1_000;
/** The same for a thread that has not even begun with the guest's code. */
const UNSTARTED_MS = 20_000;

interface Reply {
  id: number;
  run?: SandboxRun;
  isUsable?: boolean;
}

let compiled: Promise<WebAssemblyModule> | undefined;

function quickJsModule(): Promise<WebAssemblyModule> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')).then(
    (bytes) => webAssembly.compile(bytes),
  );
  return compiled;
}

/** A worker thread that holds one QuickJS world. Rejects with CoHarnessError `sandbox-unavailable` when the thread does not start. */
export async function startQuickJsGuest(): Promise<Guest> {
  const isInGuest = new Int32Array(new SharedArrayBuffer(4));
  const data: QuickJsWorkerData = { module: await quickJsModule(), isInGuest };
  const worker = new Worker(new URL('./quickjs-worker.ts', import.meta.url), {
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
  });
  const thread = new QuickJsThread(worker, isInGuest);
  const failure = await thread.started;
  if (failure === null) return thread;
  await thread.end();
  throw new CoHarnessError('sandbox-unavailable', `The JavaScript sandbox does not start: ${failure}`);
}

class QuickJsThread implements Guest {
  /** Null once it is ready, else why it is not. */
  readonly started: Promise<string | null>;
  readonly #worker: Worker;
  readonly #isInGuest: Int32Array;
  readonly #expected = new Map<number, (reply: Reply | { lost: string }) => void>();
  #lastId = 0;
  #isAlive = true;

  constructor(worker: Worker, isInGuest: Int32Array) {
    this.#worker = worker;
    this.#isInGuest = isInGuest;
    worker.on('message', (reply: Reply) => this.#settle(reply.id, reply));
    worker.on('error', (error) => this.#lose(errorMessage(error)));
    worker.on('exit', (code) => this.#lose(`the thread ended with ${code}`));
    this.started = this.#reply(0, UNSTARTED_MS).then((reply) => ('lost' in reply ? reply.lost : null));
  }

  isAlive(): boolean {
    return this.#isAlive;
  }

  async run(task: GuestTask, limits: GuestLimits): Promise<SandboxRun> {
    const reply = await this.#ask({ id: ++this.#lastId, kind: 'run', task, limits }, limits.wallMs + SILENCE_MS);
    if (!('lost' in reply) && reply.run !== undefined) {
      if (reply.isUsable !== true) this.#isAlive = false;
      return reply.run;
    }
    const isGuestsDoing = Atomics.load(this.#isInGuest, 0) === 1 && 'lost' in reply && reply.lost === SILENT;
    await this.end();
    const why = 'lost' in reply ? reply.lost : 'an empty reply';
    return isGuestsDoing
      ? { kind: 'timeout', problem: `no value within ${limits.wallMs} ms`, output: '' }
      : { kind: 'infrastructure', problem: `the JavaScript sandbox gave no reply: ${why}`, output: '' };
  }

  async renew(): Promise<boolean> {
    const reply = await this.#ask({ id: ++this.#lastId, kind: 'renew' }, UNSTARTED_MS);
    return !('lost' in reply);
  }

  async end(): Promise<void> {
    this.#lose('the thread was ended');
    await this.#worker.terminate();
  }

  #ask(request: QuickJsRequest, patienceMs: number): Promise<Reply | { lost: string }> {
    if (!this.#isAlive) return Promise.resolve({ lost: 'the thread has ended' });
    const reply = this.#reply(request.id, patienceMs);
    this.#worker.postMessage(request);
    return reply;
  }

  /** A thread that still opens its world gets more time than one that runs the guest's code. */
  #reply(id: number, patienceMs: number): Promise<Reply | { lost: string }> {
    this.#worker.ref();
    return new Promise((resolve) => {
      const giveUp = () => this.#settle(id, { lost: SILENT });
      let timer = setTimeout(() => {
        if (Atomics.load(this.#isInGuest, 0) === 1 || patienceMs >= UNSTARTED_MS) return giveUp();
        timer = setTimeout(giveUp, UNSTARTED_MS);
      }, patienceMs);
      this.#expected.set(id, (reply) => {
        clearTimeout(timer);
        // A thread without work does not keep the program alive.
        if (this.#expected.size === 0) this.#worker.unref();
        resolve(reply);
      });
    });
  }

  #settle(id: number, reply: Reply | { lost: string }): void {
    const settle = this.#expected.get(id);
    this.#expected.delete(id);
    settle?.(reply);
  }

  #lose(why: string): void {
    this.#isAlive = false;
    for (const id of [...this.#expected.keys()]) this.#settle(id, { lost: why });
  }
}

const SILENT = 'silence past its time limit';
