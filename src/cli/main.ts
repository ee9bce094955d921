import { Command, CommanderError } from 'commander';
import colors from 'picocolors';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { registerLabFaultsCommand } from '../lab/faults/lab-faults-command.ts';
import { registerLabGateCommand } from '../lab/gate/lab-gate-command.ts';
import { registerDoctorCommand } from '../setup/doctor-command.ts';
import { registerSetupCommand } from '../setup/setup-command.ts';
import { registerAttributeCommand } from './attribute-command.ts';
import { registerCheckCommand } from './check-command.ts';
import { registerDiffCommand } from './diff-command.ts';
import { registerEvalCommand } from './eval-command.ts';
import { registerExportCommand } from './export-command.ts';
import { registerGateCommand } from './gate-command.ts';
import { registerInitCommand } from './init-command.ts';
import { registerLogCommand } from './log-command.ts';
import { registerReportCommand } from './report-command.ts';
import { registerRollbackCommand } from './rollback-command.ts';
import { registerRunCommand } from './run-command.ts';
import { registerServeCommand } from './serve-command.ts';
import { registerShowCommand } from './show-command.ts';
import { registerStatusCommand } from './status-command.ts';
import { registerVerifyCommand } from './verify-command.ts';

/** 0 success, 1 failure, 2 bad usage or bad input, 130 stopped by the user. */
const EXIT = { success: 0, failure: 1, usage: 2, stopped: 130 } as const;

const INPUT_CODES = /^(invalid|unknown|file-missing|no-|run-mismatch|sealed|duplicate|empty)/;

export function createProgram(): Command {
  const program = new Command('co-harness')
    .description("Improves an LLM agent's harness and weights together, in turns, and says how sure it is.")
    .version('0.1.0')
    .showHelpAfterError('(co-harness --help lists the commands)')
    .showSuggestionAfterError()
    .exitOverride();
  registerSetupCommand(program);
  registerDoctorCommand(program);
  registerInitCommand(program);
  registerRunCommand(program);
  registerStatusCommand(program);
  registerLogCommand(program);
  registerShowCommand(program);
  registerDiffCommand(program);
  registerReportCommand(program);
  registerCheckCommand(program);
  registerGateCommand(program);
  registerRollbackCommand(program);
  registerEvalCommand(program);
  registerVerifyCommand(program);
  registerExportCommand(program);
  registerAttributeCommand(program);
  registerServeCommand(program);
  registerLabGateCommand(program);
  registerLabFaultsCommand(program);
  return program;
}

/** Runs one command line; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? EXIT.success);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    return reportFailure(error, argv.includes('--json'));
  }
}

function reportFailure(error: unknown, json: boolean): number {
  if (!CoHarnessError.isInstance(error)) {
    process.stderr.write(
      `${colors.red('Unexpected error')} (please report it): ${error instanceof Error ? error.stack : errorMessage(error)}\n`,
    );
    return EXIT.failure;
  }
  if (json)
    process.stdout.write(
      `${JSON.stringify({ schema: 'co-harness/error@1', code: error.code, message: error.message })}\n`,
    );
  process.stderr.write(`${colors.red('Error')} (${error.code}): ${error.message}\n`);
  if (error.code === 'aborted') return EXIT.stopped;
  return INPUT_CODES.test(error.code) ? EXIT.usage : EXIT.failure;
}

if (import.meta.main) process.exit(await main(process.argv.slice(2)));
