import { type ProgramRunnerOptions, programRunner } from '../rollout/program/program-runner.ts';
import type { Runner } from '../rollout/rollout-job.ts';
import type { RunConfig } from './run-config.ts';

/** What a config says about somebody's own agent, with the folder that its relative paths count from; null = our own loop. */
export function runnerOptions(config: Pick<RunConfig, 'runner'>, directory: string): ProgramRunnerOptions | null {
  const { runner } = config;
  if (runner === undefined) return null;
  if (runner.kind === 'url') return runner;
  const [program, ...args] = runner.command as [string, ...string[]];
  return { kind: 'command', command: [program, ...args], directory };
}

export function openRunner(options: ProgramRunnerOptions | null): Runner | null {
  return options === null ? null : programRunner(options);
}
