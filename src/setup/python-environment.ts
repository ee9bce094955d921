import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '../../bin/file-lock.mjs';
import { writeAtomically } from '../base/atomic-file.ts';
import { AbortedError, CoHarnessError } from '../base/errors.ts';
import { type CommandOptions, runCommand } from '../base/run-command.ts';
import { cacheFolder } from './cache-folder.ts';
import { findPython } from './find-python.ts';
import { requireFreeSpace } from './free-space.ts';
import { projectFolder, trainerFolder } from './project-folder.ts';
import { timedStep } from './timed-step.ts';

export interface PythonEnvironment {
  /** Interpreter that has the trainer's packages (once `ready`). */
  python: string;
  /** Installed completely. False: call {@link ensurePython}. */
  ready: boolean;
  /** Folder of the virtual environment; null where CO_HARNESS_PYTHON names an interpreter. */
  folder: string | null;
  /** Environment for child processes that run `python -m coharness_trainer…`. */
  environment: NodeJS.ProcessEnv;
}

export interface EnvironmentChoice {
  /** Default: the user's cache. */
  cache?: string;
  /** Requirements as pip reads them. Default: those of trainer/pyproject.toml. */
  pins?: readonly string[];
}

export interface EnsurePythonOptions extends EnvironmentChoice {
  log: (line: string) => void;
  signal?: AbortSignal;
}

/** Room for the wheels beside the installed packages: measured 5.9 GB installed, CUDA libraries included. */
const PIP_BYTES = 9.5e9;
/** With uv's torch back-end option a CPU build of torch is chosen where there is no GPU. */
const UV_BYTES = 3e9;
const MARKER = 'complete.json';

/** `[project] dependencies` of trainer/pyproject.toml, in file order. */
export function trainerPins(pyproject = readFileSync(join(trainerFolder, 'pyproject.toml'), 'utf8')): string[] {
  const list = /^dependencies\s*=\s*\[([^\]]*)\]/m.exec(pyproject)?.[1] ?? '';
  const pins = [...list.matchAll(/"([^"]+)"/g)].map((match) => match[1] as string);
  if (pins.length === 0)
    throw new CoHarnessError(
      'invalid-data',
      'trainer/pyproject.toml has no [project] dependencies. Restore the file from git.',
    );
  return pins;
}

function interpreterIn(folder: string): string {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

function childEnvironment(): NodeJS.ProcessEnv {
  const path = process.env.PYTHONPATH;
  return {
    ...process.env,
    PYTHONPATH: path ? `${trainerFolder}${process.platform === 'win32' ? ';' : ':'}${path}` : trainerFolder,
  };
}

/**
 * Where the trainer's Python is and whether it is complete; starts and changes nothing. One environment per set of pins lies in
 * the user's cache, so clones share it and a change of the pins makes a new one. CO_HARNESS_PYTHON overrides it.
 */
export function pythonEnvironment({
  cache = cacheFolder(),
  pins = trainerPins(),
}: EnvironmentChoice = {}): PythonEnvironment {
  const override = process.env.CO_HARNESS_PYTHON;
  if (override) return { python: override, ready: true, folder: null, environment: childEnvironment() };
  const identity = JSON.stringify([process.platform, process.arch, pins]);
  const folder = join(cache, `python-${createHash('sha256').update(identity).digest('hex').slice(0, 12)}`);
  const python = interpreterIn(folder);
  return {
    python,
    ready: existsSync(join(folder, MARKER)) && existsSync(python),
    folder,
    environment: childEnvironment(),
  };
}

/** True where the program starts. */
async function isAvailable(command: string): Promise<boolean> {
  try {
    return (await runCommand(command, ['--version'], { maxWallMs: 20_000 })).code === 0;
  } catch {
    return false;
  }
}

async function runInstaller(command: string, args: string[], remedy: string, options: CommandOptions): Promise<void> {
  const { code, stdout, stderr } = await runCommand(command, args, options);
  if (code === 0) return;
  const said = (stderr.trim() || stdout.trim()).split('\n').slice(-6).join('\n  ');
  throw new CoHarnessError(
    'python-install-failed',
    `${command} ${args.slice(0, 4).join(' ')} … failed with exit code ${code}:\n  ${said}\n${remedy}`,
    {
      details: { command, code },
    },
  );
}

async function installWithUv(
  base: string,
  folder: string,
  pins: readonly string[],
  options: CommandOptions,
): Promise<boolean> {
  const python = interpreterIn(folder);
  const remedy = 'Trying pip instead.';
  try {
    await runInstaller('uv', ['venv', '--quiet', '--clear', '--seed', '--python', base, folder], remedy, options);
    await runInstaller(
      'uv',
      ['pip', 'install', '--python', python, '--torch-backend', 'auto', ...pins],
      remedy,
      options,
    );
    return true;
  } catch (error) {
    if (CoHarnessError.isInstance(error, 'python-install-failed')) {
      options.onLine?.(error.message);
      return false;
    }
    throw error;
  }
}

async function installWithPip(
  base: string,
  folder: string,
  pins: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const temporary = join(folder, 'download');
  requireFreeSpace(folder, PIP_BYTES, 'The Python environment (PyTorch with its libraries)');
  await runInstaller(
    base,
    ['-m', 'venv', folder],
    'Install the venv module of this Python (Debian or Ubuntu: apt install python3-venv).',
    options,
  );
  await mkdir(temporary, { recursive: true });
  // --no-compile: modules are compiled when they are first imported, and most never are
  const pip = [
    '-m',
    'pip',
    'install',
    '--no-cache-dir',
    '--no-compile',
    '--no-input',
    '--progress-bar',
    'off',
    '--disable-pip-version-check',
    ...pins,
  ];
  // pip keeps several GB of wheels in its temporary folder; /tmp is often a small disk in memory
  const env = { ...process.env, TMPDIR: temporary, PIP_REQUIRE_VIRTUALENV: '0' };
  await runInstaller(
    interpreterIn(folder),
    pip,
    'Check the network, the package index of pip and free disk space, then run npx co-harness setup again.',
    {
      ...options,
      env,
    },
  );
  await rm(temporary, { recursive: true, force: true });
}

async function install(
  { folder, python }: { folder: string; python: string },
  { log, signal, pins = trainerPins() }: EnsurePythonOptions,
): Promise<void> {
  const base = await findPython();
  const start = performance.now();
  // What an interrupted install left behind cannot be trusted.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const withUv = await isAvailable('uv');
  requireFreeSpace(folder, withUv ? UV_BYTES : PIP_BYTES, 'The Python environment (PyTorch with its libraries)');
  const expectation = withUv ? 'with uv; some minutes' : 'with pip; about 6 GB, 4 to 11 minutes';
  await timedStep(
    `Installing the Python environment for training (Python ${base.version}, ${expectation})`,
    log,
    async (progress) => {
      let unpacking = false;
      const onLine = (line: string) => {
        // The last minutes of pip are silent: its latest line would be about some small package it removed.
        unpacking ||= line.startsWith('Installing collected packages');
        progress(unpacking ? 'unpacking the packages' : line);
      };
      const options = { onLine, ...(signal ? { signal } : {}) };
      const done = withUv && (await installWithUv(base.executable, folder, pins, options));
      if (withUv && !done) log('  uv could not install the packages; installing with pip …');
      if (!done) await installWithPip(base.executable, folder, pins, options);
    },
  );
  const marker = { version: 1, python: base.version, pins, seconds: Math.round((performance.now() - start) / 1000) };
  if (!existsSync(python))
    throw new CoHarnessError(
      'python-install-failed',
      `${python} is missing after the installation. Run npx co-harness setup again.`,
    );
  await writeAtomically(join(folder, MARKER), `${JSON.stringify(marker, null, 2)}\n`);
}

/**
 * Installs the trainer's Python environment where it is not complete; returns at once where it is. Safe to call from several
 * processes: the later ones wait. An interrupted install is redone, and a failed one removed.
 *
 * Throws CoHarnessError: `python-missing`, `python-install-failed`, `disk-full`; AbortedError when `signal` fires.
 */
export async function ensurePython(options: EnsurePythonOptions): Promise<PythonEnvironment> {
  const { log, signal } = options;
  const target = pythonEnvironment(options);
  const { folder } = target;
  if (folder === null) {
    if (!(await isAvailable(target.python))) {
      throw new CoHarnessError(
        'python-missing',
        `CO_HARNESS_PYTHON is ${target.python}, which does not run. Correct or unset it.`,
      );
    }
    return target;
  }
  if (target.ready) return target;
  try {
    await withFileLock(
      `${folder}.lock`,
      async () => {
        if (pythonEnvironment(options).ready) return;
        try {
          await install({ folder, python: target.python }, options);
        } catch (error) {
          log('Removing the unfinished Python environment …');
          await rm(folder, { recursive: true, force: true });
          throw error;
        }
      },
      {
        onWait: (owner) =>
          log(`Another co-harness (process ${owner}) is installing the Python environment; waiting for it …`),
        ...(signal ? { signal } : {}),
      },
    );
  } catch (error) {
    if (signal?.aborted) throw new AbortedError();
    throw error;
  }
  return pythonEnvironment(options);
}

/** Versions of the pinned packages in an environment: `[pin, installed version or null][]`, in the order of the pins. Takes a second. */
export async function installedVersions(
  environment: PythonEnvironment,
): Promise<[pin: string, version: string | null][]> {
  const pins = trainerPins();
  const names = pins.map((pin) => pin.split(/[=<>~! ;[]/)[0] as string);
  const script = `
import importlib.metadata, json, sys
def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
print(json.dumps([version(name) for name in sys.argv[1:]]))
`;
  const { code, stdout, stderr } = await runCommand(environment.python, ['-c', script, ...names], {
    env: environment.environment,
    cwd: projectFolder,
  });
  if (code !== 0)
    throw new CoHarnessError(
      'python-broken',
      `${environment.python} does not work: ${stderr.trim().split('\n').at(-1)}`,
    );
  const versions = JSON.parse(stdout) as (string | null)[];
  return pins.map((pin, index) => [pin, versions[index] ?? null]);
}
