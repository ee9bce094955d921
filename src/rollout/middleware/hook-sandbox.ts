/** Runs untrusted code. Never rejects for what the code did. */
export interface HookSandbox {
  /** Runs a script in a fresh world; `value` is the text of its last expression. */
  run(code: string, limits: HookLimits): Promise<HookRun>;
}

export interface HookLimits {
  wallMs: number;
  memoryMegabytes: number;
  signal?: AbortSignal;
}

/** `infrastructure`: the sandbox itself failed; nothing is known about the code. */
export type HookRun =
  | { kind: 'ok'; value: string }
  | { kind: 'error' | 'timeout' | 'memory' | 'refused' | 'infrastructure'; problem: string };
