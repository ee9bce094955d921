import type { ToolCall } from '../../trajectory/trajectory.ts';

/** Who speaks in a step. `note`: the loop itself (a hook, a log line, an error of the runtime). */
export type StepRole = 'system' | 'user' | 'assistant' | 'tool' | 'note';

export interface CaseStep {
  /** Where it stands in the file, e.g. `runs/0/steps/3`; what evidence points at. */
  event: string;
  role: StepRole;
  content: string;
  /** Calls that the step makes, given as data or written in its text. */
  calls: ToolCall[];
  /** Whether `calls` were given as data. */
  hasNativeCalls: boolean;
}

export interface CaseRun {
  /** Prefix of its events, e.g. `runs/0`. */
  place: string;
  task: string;
  /** Free JSON; null where nothing is known of it. */
  harness: unknown;
  steps: CaseStep[];
  /** Null where the file does not say. */
  passed: boolean | null;
  /** What the file says of the outcome, as text. */
  outcome: string;
}

/** Something somebody wants explained: runs of an agent, in whatever format they were written, and what was seen from outside. */
export interface Case {
  id: string;
  /** Empty where nobody described it. */
  problem: string;
  runs: CaseRun[];
}
