import quickJsVariant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { GuestLimits, GuestTask } from './guest.ts';
import { QUICKJS_PRELUDE } from './quickjs-prelude.ts';
import type { SandboxRun } from './sandbox.ts';
import { type WebAssemblyModule, webAssembly } from './web-assembly.ts';

/** The package's types describe its CommonJS form, where this is one level deeper. */
const variant = quickJsVariant as unknown as QuickJSSyncVariant;
const PAGE_BYTES = 64 << 10;
/** Memory the interpreter is linked for; it cannot start with less. */
const FEWEST_PAGES = 256;
/** Of the memory, what the interpreter may not give to the guest: its own stack and tables need it. */
const KEPT_BYTES = 4 << 20;
/** Memory that is full may lack so much to its limit. */
const REFUSED_BYTES = 1 << 20;
/** More lets deep recursion reach the end of the thread's own stack before QuickJS notices. */
const STACK_BYTES = 256 << 10;
/** Milliseconds in which text must be made of what an ended run left. */
const CLOSING_MS = 200;
const JOBS_PER_LOOK = 100;
const GAVE_UP = 'the interpreter gave up: ';

/** One interpreter with a heap of its own. After a run that says so in `isUsable` it can run on. */
export interface QuickJsWorld {
  perform(task: GuestTask, limits: GuestLimits): { run: SandboxRun; isUsable: boolean };
}

/** A fresh interpreter. `memoryBytes` bounds its whole WebAssembly memory, which nothing inside can lift. */
export async function openQuickJsWorld(module: WebAssemblyModule, memoryBytes: number): Promise<QuickJsWorld> {
  const maximum = Math.max(FEWEST_PAGES + 32, Math.ceil(memoryBytes / PAGE_BYTES));
  const wasmMemory = new webAssembly.Memory({ initial: FEWEST_PAGES, maximum });
  const quickJs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: module, wasmMemory }));
  const runtime = quickJs.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const limit = maximum * PAGE_BYTES - KEPT_BYTES;
  runtime.setMemoryLimit(limit);
  // Such a memory never shrinks: its size is the most that the guest ever held, short of the piece that it was refused.
  return new World(runtime, () => wasmMemory.buffer.byteLength >= limit - REFUSED_BYTES);
}

type PreludeMember = 'begin' | 'show' | 'describe' | 'takeOutput' | 'parse';

class World implements QuickJsWorld {
  readonly #runtime: QuickJSRuntime;
  readonly #wasFull: () => boolean;
  readonly #context: QuickJSContext;
  readonly #prelude: Readonly<Record<PreludeMember, QuickJSHandle>>;
  readonly #programs = new Map<string, QuickJSHandle>();
  #files: ReadonlyMap<string, string> = new Map();
  #deadline = Number.POSITIVE_INFINITY;
  #wasInterrupted = false;

  constructor(runtime: QuickJSRuntime, wasFull: () => boolean) {
    this.#runtime = runtime;
    this.#wasFull = wasFull;
    this.#context = runtime.newContext();
    runtime.setInterruptHandler(() => {
      if (performance.now() <= this.#deadline) return false;
      this.#wasInterrupted = true;
      return true;
    });
    runtime.setModuleLoader(
      (path) => this.#files.get(path) ?? { error: new Error(`there is no module "${path}" here`) },
      (base, path) => resolvedPath(base, path),
    );
    const made = this.#context.unwrapResult(this.#context.evalCode(QUICKJS_PRELUDE, 'prelude.js'));
    const member = (name: string) => this.#context.getProp(made, name);
    this.#prelude = {
      begin: member('begin'),
      show: member('show'),
      describe: member('describe'),
      takeOutput: member('takeOutput'),
      parse: member('parse'),
    };
  }

  perform(task: GuestTask, limits: GuestLimits): { run: SandboxRun; isUsable: boolean } {
    this.#deadline = performance.now() + limits.wallMs;
    this.#wasInterrupted = false;
    let run: SandboxRun;
    try {
      this.#trusted('begin', this.#context.newNumber(limits.outputCharacters));
      const value = task.kind === 'script' ? this.#script(task.code) : this.#call(task);
      const text = this.#text('show', value, limits);
      run = { kind: 'ok', value: text, output: '' };
    } catch (error) {
      run = { kind: 'error', problem: this.#problem(error, limits), output: '' };
    }
    if (this.#wasInterrupted) run = { kind: 'timeout', problem: `no value within ${limits.wallMs} ms`, output: '' };
    if (run.kind === 'error' && this.#isOutOfMemory(run.problem)) {
      const problem = `more than the allowed ${Math.round(limits.memoryBytes / (1 << 20))} MiB of memory were asked for`;
      run = { kind: 'memory', problem, output: '' };
    }
    const output = this.#output();
    return {
      run: { ...run, output: output ?? '' },
      isUsable: output !== null && (run.kind === 'ok' || run.kind === 'error'),
    };
  }

  /** Where not even the error found room, QuickJS throws null or breaks down. */
  #isOutOfMemory(problem: string): boolean {
    if (problem.startsWith('InternalError: out of memory')) return true;
    return (problem === 'thrown: null' || problem.startsWith(GAVE_UP)) && this.#wasFull();
  }

  #script(code: string): QuickJSHandle {
    return this.#settled(this.#unwrap(this.#context.evalCode(code, 'code.js', { type: 'global' })));
  }

  #call(task: Extract<GuestTask, { kind: 'call' }>): QuickJSHandle {
    let program = this.#programs.get(task.entry);
    if (program === undefined) {
      // A map, because every object has members that are no files of the guest.
      this.#files = new Map(Object.entries(task.files));
      const code = this.#files.get(task.entry) ?? '';
      const exports = this.#settled(this.#unwrap(this.#context.evalCode(code, task.entry, { type: 'module' })));
      program = this.#context.getProp(exports, 'default');
      if (this.#context.typeof(program) !== 'function') {
        throw new GuestProblem(`${task.entry} must have a default export that is a function of the arguments`);
      }
      this.#programs.set(task.entry, program);
    }
    const input = this.#trusted('parse', this.#context.newString(task.input));
    return this.#settled(this.#unwrap(this.#context.callFunction(program, this.#context.undefined, input)));
  }

  /** Runs what was promised; a promise gives what it was settled with. */
  #settled(value: QuickJSHandle): QuickJSHandle {
    while (this.#runtime.hasPendingJob()) {
      if (performance.now() > this.#deadline) {
        this.#wasInterrupted = true;
        throw new GuestProblem('interrupted');
      }
      const { error } = this.#runtime.executePendingJobs(JOBS_PER_LOOK);
      if (error !== undefined) throw new Thrown(error);
    }
    const state = this.#context.getPromiseState(value);
    if (state.type === 'fulfilled') return state.value;
    if (state.type === 'rejected') throw new Thrown(state.error);
    throw new GuestProblem('the value is a promise that is never settled: there are no timers and no events here');
  }

  #unwrap(result: { value: QuickJSHandle; error?: undefined } | { error: QuickJSHandle }): QuickJSHandle {
    if (result.error !== undefined) throw new Thrown(result.error);
    return result.value;
  }

  #trusted(name: PreludeMember, ...args: QuickJSHandle[]): QuickJSHandle {
    return this.#unwrap(this.#context.callFunction(this.#prelude[name], this.#context.undefined, ...args));
  }

  #text(name: 'show' | 'describe', value: QuickJSHandle, limits: GuestLimits): string {
    const most = this.#context.newNumber(limits.outputCharacters);
    return this.#context.getString(this.#trusted(name, value, most));
  }

  /** What was thrown, in words. The guest's own getters may run, so they are given little time. */
  #problem(error: unknown, limits: GuestLimits): string {
    if (!(error instanceof Thrown)) {
      return error instanceof GuestProblem ? error.message : `${GAVE_UP}${String(error)}`;
    }
    const interrupted = this.#wasInterrupted;
    this.#deadline = Math.max(this.#deadline, performance.now() + CLOSING_MS);
    try {
      return this.#text('describe', error.thrown, limits);
    } catch {
      return 'an error that cannot be shown was thrown';
    } finally {
      this.#wasInterrupted ||= interrupted;
    }
  }

  /** What was printed; null when the interpreter cannot say it any more. */
  #output(): string | null {
    this.#deadline = performance.now() + CLOSING_MS;
    try {
      return this.#context.getString(this.#trusted('takeOutput'));
    } catch {
      return null;
    }
  }
}

/** Something that the guest threw. */
class Thrown extends Error {
  readonly thrown: QuickJSHandle;

  constructor(thrown: QuickJSHandle) {
    super('thrown by the guest');
    this.thrown = thrown;
  }
}

/** A problem of the guest's code in our own words. */
class GuestProblem extends Error {}

/** `./x.js` seen from `a/b.js` → `a/x.js`. What leaves the top stays a name that no file has. */
function resolvedPath(base: string, path: string): string {
  if (!path.startsWith('.')) return path;
  const steps = base.split('/').slice(0, -1);
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return steps.join('/');
}
