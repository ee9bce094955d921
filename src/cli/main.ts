import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { palette } from '../base/palette.ts';
import { projectFolder } from '../setup/project-folder.ts';

type Register = (program: Command) => void;

/** In the order of the help. What a command needs is read only when it is asked for: all commands together are 500 files. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  setup: async () => (await import('../setup/setup-command.ts')).registerSetupCommand,
  doctor: async () => (await import('../setup/doctor-command.ts')).registerDoctorCommand,
  init: async () => (await import('./init-command.ts')).registerInitCommand,
  data: async () => (await import('./data-command.ts')).registerDataCommand,
  run: async () => (await import('./run-command.ts')).registerRunCommand,
  status: async () => (await import('./status-command.ts')).registerStatusCommand,
  log: async () => (await import('./log-command.ts')).registerLogCommand,
  show: async () => (await import('./show-command.ts')).registerShowCommand,
  diff: async () => (await import('./diff-command.ts')).registerDiffCommand,
  report: async () => (await import('./report-command.ts')).registerReportCommand,
  check: async () => (await import('./check-command.ts')).registerCheckCommand,
  gate: async () => (await import('./gate-command.ts')).registerGateCommand,
  rollback: async () => (await import('./rollback-command.ts')).registerRollbackCommand,
  eval: async () => (await import('./eval-command.ts')).registerEvalCommand,
  verify: async () => (await import('./verify-command.ts')).registerVerifyCommand,
  export: async () => (await import('./export-command.ts')).registerExportCommand,
  attribute: async () => (await import('./attribute-command.ts')).registerAttributeCommand,
  serve: async () => (await import('./serve-command.ts')).registerServeCommand,
  lab: async () => {
    const { registerLabGateCommand } = await import('../lab/gate/lab-gate-command.ts');
    const { registerLabNullPoolCommand } = await import('../lab/gate/lab-null-pool-command.ts');
    const { registerLabFaultsCommand } = await import('../lab/faults/lab-faults-command.ts');
    return (program) => {
      registerLabGateCommand(program);
      registerLabNullPoolCommand(program);
      registerLabFaultsCommand(program, {
        openReader: async (critic, options) => (await import('./open-reader.ts')).openReader(critic, options),
        openActor: async (run, options) =>
          (await import('./open-real-actor.ts')).openRealActor(run, {
            ...options,
            journalFile: (folder) => join(folder, 'lab-faults.sqlite'),
          }),
      });
    };
  },
};

/** 0 success, 1 failure, 2 bad usage or bad input, 130 stopped by the user. */
const EXIT = { success: 0, failure: 1, usage: 2, stopped: 130 } as const;

const INPUT_CODES =
  /^(invalid|unknown|file-missing|no-|(run|pool)-mismatch|sealed|split-too-small|duplicate|empty|too-few-(groups|tasks)|small-pool|judge-on-sealed-test|map-row-failed|(program|variable)-missing|model-(reference|source)-invalid)/;

/** Holds the command that `name` names; all of them where it names none, for the help and for suggestions. */
async function createProgram(name: string | undefined): Promise<Command> {
  const isNamed = name !== undefined && Object.hasOwn(COMMANDS, name);
  const program = new Command('co-harness')
    .description("Improves an LLM agent's harness and weights together, in turns, and says how sure it is.")
    .version('0.1.0')
    .showHelpAfterError(
      isNamed ? `(npx co-harness ${name} --help lists its options)` : '(npx co-harness --help lists the commands)',
    )
    .showSuggestionAfterError()
    .exitOverride();
  const wanted = isNamed ? [COMMANDS[name] as (typeof COMMANDS)[string]] : Object.values(COMMANDS);
  for (const load of wanted) (await load())(program);
  return program;
}

/** Runs one command line; resolves to the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(argv[0]);
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? EXIT.success);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    return reportFailure(error, argv.includes('--json'));
  }
}

function reportFailure(thrown: unknown, json: boolean): number {
  const error = asKnownError(thrown);
  if (json)
    process.stdout.write(
      `${JSON.stringify({ schema: 'co-harness/error@1', code: error.code, message: error.message })}\n`,
    );
  process.stderr.write(`${palette(process.stderr).red('Error')} (${error.code}): ${error.message}\n`);
  if (error.code === 'aborted') return EXIT.stopped;
  return INPUT_CODES.test(error.code) ? EXIT.usage : EXIT.failure;
}

/** What the system refused (a folder that cannot be written, a full disk) is told as such; what nobody foresaw, with where to report it. */
function asKnownError(thrown: unknown): CoHarnessError {
  if (CoHarnessError.isInstance(thrown)) return thrown;
  const { code, syscall } = thrown as NodeJS.ErrnoException;
  if (typeof code === 'string' && typeof syscall === 'string') {
    return new CoHarnessError(
      'system-error',
      `${errorMessage(thrown)}. The system refused this; check the path, its permissions and the free space.`,
      { cause: thrown },
    );
  }
  const isTraced = process.env[TRACE_VARIABLE] !== undefined && thrown instanceof Error;
  return new CoHarnessError(
    'unexpected',
    `${isTraced ? thrown.stack : errorMessage(thrown)}. Please report it, with what ${TRACE_VARIABLE}=1 in the environment shows.`,
    { cause: thrown },
  );
}

const TRACE_VARIABLE = 'CO_HARNESS_TRACE';

/** Resolves when everything that was written has left this process. A pipe takes what it has room for, and the rest later. */
async function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength === 0 || stream.destroyed) return;
  await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

/** Output that nobody reads any more (`| head`) ends the command in silence; a disk that is full does not. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.success);
  process.stderr.write(
    `${palette(process.stderr).red('Error')} (output-lost): The output cannot be written: ${error.message}.\n`,
  );
  process.exit(EXIT.failure);
}

if (import.meta.main) {
  // Else every start strips the types of every file again. A folder that cannot be written costs only the time.
  enableCompileCache(join(projectFolder, 'node_modules', '.cache', 'co-harness'));
  process.stdout.on('error', onOutputError);
  const code = await main(process.argv.slice(2));
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}
