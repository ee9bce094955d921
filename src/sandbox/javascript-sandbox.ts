import { availableParallelism } from 'node:os';
import { startQuickJsGuest } from './quickjs-guest.ts';
import type { Sandbox } from './sandbox.ts';
import { pooledSandbox } from './sandbox-pool.ts';

export interface JavaScriptSandboxOptions {
  /** Worlds at once, one thread each; default 64. */
  most?: number;
  /** Threads kept ready; default: one per core, at most 4. */
  spares?: number;
}

/**
 * JavaScript (ES2023) on QuickJS in WebAssembly: no files, network, timers, modules of the host or other threads. Nothing starts before the first run.
 * `call` wants a module whose default export is a function of the arguments.
 */
export function javaScriptSandbox({ most = 64, spares }: JavaScriptSandboxOptions = {}): Sandbox {
  return pooledSandbox({
    start: startQuickJsGuest,
    most,
    spares: Math.min(most, spares ?? Math.min(4, availableParallelism())),
  });
}
