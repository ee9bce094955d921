import { DEFAULT_SANDBOX_LIMITS, type Sandbox } from '../../sandbox/sandbox.ts';
import type { HookSandbox } from './hook-sandbox.ts';

const MOST_ANSWER_CHARACTERS = 1_000_000;

/** Hooks of φ as runs of a sandbox, each in a fresh world. What they print is dropped. */
export function sandboxOfHooks(sandbox: Sandbox): HookSandbox {
  return {
    run: async (code, { wallMs, memoryMegabytes, signal }) =>
      sandbox.run(code, {
        ...DEFAULT_SANDBOX_LIMITS,
        wallMs,
        memoryBytes: memoryMegabytes * 2 ** 20,
        outputCharacters: MOST_ANSWER_CHARACTERS,
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}
