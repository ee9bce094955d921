import type { Command } from 'commander';
import { CoHarnessError } from '../base/errors.ts';

/** Declares the run that a command reads: as its argument, or as `--run` like the commands that take a version first. */
export function withRunArgument(command: Command): Command {
  return command
    .argument('[run]', 'run name or folder; default: the newest')
    .option('--run <run>', 'the same as the argument');
}

/** The run that was named, in either way. Throws CoHarnessError `invalid-usage` where both ways name different ones. */
export function namedRun(argument: string | undefined, { run }: { run?: string }): string | undefined {
  if (argument !== undefined && run !== undefined && argument !== run) {
    throw new CoHarnessError('invalid-usage', `Two runs are named: ${argument} and --run ${run}. Name one of them.`);
  }
  return argument ?? run;
}
