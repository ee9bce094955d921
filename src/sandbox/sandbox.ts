/** Limits of one run. */
export interface SandboxLimits {
  /** Milliseconds, ≥ 1. */
  wallMs: number;
  /** Most bytes that the code's own heap may reach. A session keeps the limit of its first run. */
  memoryBytes: number;
  /** Characters kept of the value and of the output, each. */
  outputCharacters: number;
  signal?: AbortSignal;
}

export const DEFAULT_SANDBOX_LIMITS: Readonly<SandboxLimits> = {
  wallMs: 10_000,
  memoryBytes: 64 << 20,
  outputCharacters: 20_000,
};

/**
 * What became of a run. `value` is the text of the last expression, empty where it has none; `output` is what the code printed.
 *
 * `error`: the code threw. `timeout`, `memory`: it reached a limit. `refused`: it was not started, because policy forbids it. All four are the code's
 * doing. `infrastructure`: the sandbox itself failed, nothing is known about the code, and it must not be scored.
 */
export type SandboxRun =
  | { kind: 'ok'; value: string; output: string }
  | { kind: 'error' | 'timeout' | 'memory' | 'refused' | 'infrastructure'; problem: string; output: string };

/** Code of a tool: text files by path, one of them the entry. Files may import each other and nothing else. */
export interface SandboxProgram {
  entry: string;
  files: ReadonlyMap<string, string>;
}

/**
 * A world of its own that keeps its state from run to run, until a run ends otherwise than with `ok` or `error`: then the next one finds a fresh
 * world. Runs of one session take turns.
 */
export interface SandboxSession {
  run(code: string, limits?: SandboxLimits): Promise<SandboxRun>;
  /** Calls the function of a program with arguments; the program is loaded once a session. `value` is text as it is, anything else as JSON. */
  call(program: SandboxProgram, args: Readonly<Record<string, unknown>>, limits?: SandboxLimits): Promise<SandboxRun>;
  /** Gives the world back. Nothing may run after it. */
  close(): void;
}

/**
 * Runs code that nobody trusts. Runs never reject for what the code did; they reject with AbortedError when `limits.signal` fires, and the code is
 * ended then.
 */
export interface Sandbox {
  /** In a fresh world that is thrown away. */
  run(code: string, limits?: SandboxLimits): Promise<SandboxRun>;
  openSession(): SandboxSession;
  close(): Promise<void>;
}

export const NO_OUTPUT = '(no output)';

/** Printed text and value of a run that went well, as a model is shown it. */
export function shownText({ output, value }: { output: string; value: string }): string {
  const parts = [output.replace(/\n$/, ''), value].filter((text) => text !== '');
  return parts.length === 0 ? NO_OUTPUT : parts.join('\n');
}
