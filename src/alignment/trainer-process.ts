import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { createInterface } from 'node:readline';
import { closeAfterExit } from '../base/close-after-exit.ts';
import { AbortedError, CoHarnessError, errorMessage } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { type TrainerEvent, type TrainerFinished, trainerEventSchema } from './trainer-event.ts';

export interface TrainerCommand {
  /** Interpreter that has the trainer's packages. */
  python: string;
  /** Folder that holds the package `coharness_trainer`. */
  trainerRoot: string;
  jobFile: string;
  /** Fires in order, for every event but the last one. What it throws ends the training. */
  onEvent?: (event: TrainerEvent) => void;
  signal?: AbortSignal;
}

/** Time for the trainer to end by itself before it is killed; it has nothing to save beyond its checkpoints. */
const KILL_AFTER_MS = 5_000;
const KEPT_STDERR_CHARACTERS = 4_000;

interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

/**
 * Runs one training job to its end. Rejects with AbortedError when `signal` fires (the process has ended by then); otherwise with CoHarnessError:
 * `python-missing`, `training-<code>` for a failure that the trainer names, `trainer-protocol` for a line that is no event, `trainer-crashed`.
 */
export async function runTrainerProcess(command: TrainerCommand): Promise<TrainerFinished> {
  if (command.signal?.aborted) throw new AbortedError();
  let last: TrainerEvent | undefined;
  const ending = await runToEnd(command, (line) => {
    const event = readEvent(line);
    if (event.event !== 'finished' && event.event !== 'failed') command.onEvent?.(event);
    last = event;
  });
  if (last?.event === 'failed') throw namedFailure(last.code, last.message);
  if (last?.event === 'finished' && ending.code === 0) return last;
  throw crash(command, ending);
}

function runToEnd(command: TrainerCommand, onLine: (line: string) => void): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const child = spawn(command.python, ['-m', 'coharness_trainer', command.jobFile, '--while-stdin-open'], {
    env: { ...process.env, PYTHONPATH: pythonPath(command.trainerRoot), PYTHONUNBUFFERED: '1' },
    // The open standard input is how the trainer sees that this process lives: a killed run must not leave it training.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let killTimer: NodeJS.Timeout | undefined;
  const end = () => {
    child.kill('SIGTERM');
    killTimer ??= setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  };
  command.signal?.addEventListener('abort', end, { once: true });

  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT_STDERR_CHARACTERS);
  });
  let failure: unknown;
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    try {
      if (failure === undefined && line.trim() !== '') onLine(line);
    } catch (error) {
      failure = error;
      end();
    }
  });
  const linesRead = new Promise<void>((done) => lines.once('close', done));
  closeAfterExit(child);
  child.stdout.once('close', () => lines.close());

  child.once('error', (cause) => {
    command.signal?.removeEventListener('abort', end);
    reject(pythonMissing(command.python, cause));
  });
  child.once('close', async (code, signal) => {
    await linesRead;
    clearTimeout(killTimer);
    command.signal?.removeEventListener('abort', end);
    if (command.signal?.aborted) reject(new AbortedError());
    else if (failure !== undefined) reject(failure);
    else resolve({ code, signal, stderr });
  });
  return promise;
}

function pythonPath(trainerRoot: string): string {
  const inherited = process.env.PYTHONPATH;
  return inherited ? `${trainerRoot}${delimiter}${inherited}` : trainerRoot;
}

function readEvent(line: string): TrainerEvent {
  try {
    return parseJson(trainerEventSchema, line, { file: 'the trainer’s output' });
  } catch (cause) {
    throw new CoHarnessError(
      'trainer-protocol',
      `The trainer wrote a line that is no event: ${line.slice(0, 200)}\n${errorMessage(cause)}\nTrainer and co-harness are of different versions: run npx co-harness setup.`,
      { details: { line }, cause },
    );
  }
}

function pythonMissing(python: string, cause: Error): CoHarnessError {
  return new CoHarnessError(
    'python-missing',
    `Cannot start Python at ${python}: ${cause.message}. Training needs the trainer's Python environment: run npx co-harness setup, then the same command again.`,
    { details: { python }, cause },
  );
}

function namedFailure(code: string, message: string): CoHarnessError {
  const remedy = code === 'packages-missing' ? ' Run npx co-harness setup, then the same command again.' : '';
  return new CoHarnessError(`training-${code}`, `Training failed: ${message}${remedy}`, { details: { code } });
}

function crash({ python }: TrainerCommand, { code, signal, stderr }: Ending): CoHarnessError {
  if (/No module named '?coharness_trainer/.test(stderr))
    return namedFailure('packages-missing', 'the trainer package was not found.');
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  const guess = signal === 'SIGKILL' ? ' The system may have run out of memory: lower alignment.rowsPerBatch.' : '';
  const tail = stderr.trim().split('\n').slice(-8).join('\n');
  return new CoHarnessError(
    'trainer-crashed',
    `The trainer (${python}) ended ${how} before it was finished.${guess} The same command again continues from its last checkpoint; ` +
      `npx co-harness doctor checks the environment.${tail === '' ? '' : ` Its last lines:\n${tail}`}`,
    { details: { code, signal } },
  );
}
