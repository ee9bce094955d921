import { totalmem } from 'node:os';
import { type PyodideInstallation, startPyodideGuest } from './pyodide-guest.ts';
import type { Sandbox } from './sandbox.ts';
import { pooledSandbox } from './sandbox-pool.ts';

/** Most bytes that a Python heap may reach, where nobody says otherwise. */
export const PYTHON_MEMORY_BYTES = 256 << 20;
/** Measured: resident memory of one process, and what its code may add. */
const PROCESS_BYTES = 512 << 20;

export interface PythonSandboxOptions {
  /** Called when the first interpreter starts; may install. What it rejects with is what runs report as `infrastructure`. */
  installation(): Promise<PyodideInstallation>;
  /** Interpreters at once, one process each; default: as many as a quarter of this machine's memory holds, 1 to 32. */
  most?: number;
  /** Interpreters kept ready; default 1. */
  spares?: number;
  /** What `limits.memoryBytes` may ask for at most. */
  memoryBytes?: number;
}

/**
 * Python 3 (Pyodide) in Deno processes without any permission: no files, network, environment or programs of the host. A session has a process of its
 * own, started from a memory snapshot and ended with it. `call` wants a file that defines `run`, which gets the arguments by name.
 */
export function pythonSandbox(options: PythonSandboxOptions): Sandbox {
  const { memoryBytes = PYTHON_MEMORY_BYTES, spares = 1 } = options;
  const most = options.most ?? Math.max(1, Math.min(32, Math.floor(totalmem() / 4 / PROCESS_BYTES)));
  return pooledSandbox({
    start: async () => startPyodideGuest(await options.installation(), memoryBytes),
    most,
    spares: Math.min(most, spares),
  });
}
