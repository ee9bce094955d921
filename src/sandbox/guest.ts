import type { SandboxRun } from './sandbox.ts';

/** What a guest is asked to do: run a script, or call a program's function. Plain data, so that it can cross to a thread or a process. */
export type GuestTask =
  | { kind: 'script'; code: string }
  | { kind: 'call'; entry: string; files: Record<string, string>; input: string };

export interface GuestLimits {
  wallMs: number;
  memoryBytes: number;
  outputCharacters: number;
}

/** One thread or process that holds one world at a time. */
export interface Guest {
  /** Whether its world stands as the last run left it. False: end it, it cannot be used again. */
  isAlive(): boolean;
  /** Never rejects: a lost reply is `infrastructure`. */
  run(task: GuestTask, limits: GuestLimits): Promise<SandboxRun>;
  /** A fresh world in the same guest; false where only a new guest has one. */
  renew(): Promise<boolean>;
  /** Ends what runs in it. */
  end(): Promise<void>;
}
