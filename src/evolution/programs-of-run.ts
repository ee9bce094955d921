import { dirname, relative, resolve } from 'node:path';
import { CoHarnessError } from '../base/errors.ts';
import { type ProgramRunnerOptions, programRunner } from '../rollout/program/program-runner.ts';
import type { Runner } from '../rollout/rollout-job.ts';
import { chooseVerifier } from '../task/choose-verifier.ts';
import type { Verifier } from '../task/verifier.ts';
import { configOfRun } from './config-of-run.ts';
import type { PreparedRun, RunHeader } from './start-run.ts';

/** What a run's header keeps of the verifier and the agent, so that they are found again where run folder and config were moved together. */
export type RecordedPrograms = Pick<RunHeader, 'verifier' | 'runner' | 'versions' | 'configFile'>;

/** `folder` is the run's. */
export function recordPrograms(prepared: PreparedRun, folder: string): RecordedPrograms {
  const { config, verifier, runner, configFile } = prepared;
  return {
    verifier: config.verifier,
    ...(runner === undefined ? {} : { runner: runnerFrom(folder, runner) }),
    versions: {
      verifier: verifier.version,
      ...(runner === undefined ? {} : { runner: programRunner(runner).version }),
    },
    configFile: configFile === undefined ? null : relative(folder, configFile),
  };
}

/** The same agent with its folder relative to `base`; {@link runnerAt} undoes it. */
export function runnerFrom(base: string, runner: ProgramRunnerOptions): ProgramRunnerOptions {
  return runner.kind === 'url' ? runner : { ...runner, directory: relative(base, runner.directory) };
}

/** `runner` with its folder as an absolute path; relative ones count from `base`. */
export function runnerAt(base: string, runner: ProgramRunnerOptions): ProgramRunnerOptions {
  return runner.kind === 'url' ? runner : { ...runner, directory: resolve(base, runner.directory) };
}

/** `tell` hears of a program that is another one than the run had. */
interface ProgramsOfRunOptions {
  tell: (text: string) => void;
}

/**
 * The verifier by which a run judges. A command runs in `directory`; default: the folder of the run's config. Throws what chooseVerifier throws, and CoHarnessError
 * `no-config` where a command's folder is not there any more.
 */
export function verifierOfRun(
  header: RecordedPrograms,
  folder: string,
  { directory, tell }: ProgramsOfRunOptions & { directory?: string },
): Verifier {
  const { configFile, versions } = header;
  // Headers from before `configFile` say nothing of it.
  const found = typeof configFile === 'string' ? dirname(resolve(folder, configFile)) : resolve(folder);
  const verifier = chooseVerifier(header.verifier, directory ?? found);
  if (versions?.verifier === verifier.version) return verifier;
  if (directory === undefined && header.verifier.kind === 'command') refuseLost(header, folder, 'verifier');
  if (versions !== undefined) {
    tell(
      'Caution: the verifier judges in another way than when the run was made; its scores need not agree with the run’s.',
    );
  }
  return verifier;
}

/** Somebody's own agent as a run has it; null = our own loop. Throws CoHarnessError `no-config` where the folder of its program is not there any more. */
export function runnerOfRun(header: RecordedPrograms, folder: string, { tell }: ProgramsOfRunOptions): Runner | null {
  if (header.runner === undefined) return null;
  const runner = programRunner(runnerAt(folder, header.runner));
  // Headers from before `versions` say nothing of the agent's files.
  if (header.versions === undefined || header.versions.runner === runner.version) return runner;
  if (header.runner.kind === 'command') refuseLost(header, folder, 'runner');
  tell(
    'Caution: the agent’s program is another one than when the run was made; what it does need not agree with the run.',
  );
  return runner;
}

/** In a folder that happens to lie there a program would fail on every task, or be another one. */
function refuseLost(header: RecordedPrograms, folder: string, field: 'verifier' | 'runner'): void {
  const { configFile } = header;
  if (typeof configFile !== 'string' || configOfRun(folder, header) !== null) return;
  const file = resolve(folder, configFile);
  throw new CoHarnessError(
    'no-config',
    `${field}: its command runs in the folder of the run's config, and there is no ${file}. Put the run folder back to where it lay beside its config, or the config to where the run folder looks for it.`,
    { details: { field, file } },
  );
}
