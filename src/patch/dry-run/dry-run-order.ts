import type { Harness } from '../../harness/harness.ts';
import type { ToolHosts } from '../../rollout/tools/tool-hosts.ts';
import type { Task } from '../../task/task.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';

export interface RecordedRollout {
  trajectory: Trajectory;
  task: Task;
}

export interface DryRunOrder {
  parent: Harness;
  child: Harness;
  /** What pairs have done on `train` so far, oldest first: calls and replies that the new code is tried on. */
  recorded: readonly RecordedRollout[];
  hosts: ToolHosts;
  signal: AbortSignal;
}

/** `tried`: what the diff brought in and was tried, in words; empty = it brings no code and no middleware. `objection`: why it must not be paid for. */
export interface DryRunResult {
  tried: string[];
  objection: string | null;
  /** The objection is that this installation lacks a sandbox: it says nothing of the diff, and ends when the sandbox is there. */
  isUnavailable?: true;
}
