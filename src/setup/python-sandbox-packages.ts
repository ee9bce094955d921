import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '../../bin/file-lock.mjs';
import { writeAtomically } from '../base/atomic-file.ts';
import { contentHash } from '../base/content-hash.ts';
import { AbortedError, CoHarnessError } from '../base/errors.ts';
import { runCommand } from '../base/run-command.ts';
import { type PyodideInstallation, pyodideArguments, pyodideEnvironment } from '../sandbox/pyodide-guest.ts';
import { PYTHON_MEMORY_BYTES } from '../sandbox/python-sandbox.ts';
import { cacheFolder } from './cache-folder.ts';
import { requireFreeSpace } from './free-space.ts';
import { timedStep } from './timed-step.ts';

/** Too large for everybody's `npm ci`: 92 MB, 14 MB and a snapshot of 31 MB. */
const PINS = ['deno@2.9.6', 'pyodide@314.0.7'];
/** Raised when the snapshot's program changes what it imports. */
const SNAPSHOT_VERSION = 1;
const NEEDED_BYTES = 4e8;
const MARKER = 'complete.json';

export interface PythonSandboxChoice {
  /** Default: the user's cache. */
  cache?: string;
}

function folderOf({ cache = cacheFolder() }: PythonSandboxChoice): string {
  return join(cache, `python-sandbox-${contentHash({ PINS, SNAPSHOT_VERSION }).slice(0, 12)}`);
}

/** The Python sandbox of this machine; null where it is not installed. */
export async function installedPythonSandbox(choice: PythonSandboxChoice = {}): Promise<PyodideInstallation | null> {
  const folder = folderOf(choice);
  return existsSync(join(folder, MARKER)) ? installationIn(folder) : null;
}

/**
 * The same, installed where it is missing: Deno and Pyodide from the npm registry, then a snapshot of a started interpreter. A second process waits for the
 * first. Rejects with AbortedError, or CoHarnessError `sandbox-install-failed`; nothing half-done stays.
 */
export async function ensurePythonSandbox(
  options: PythonSandboxChoice & { log: (line: string) => void; signal?: AbortSignal },
): Promise<PyodideInstallation> {
  const folder = folderOf(options);
  const present = await installedPythonSandbox(options);
  if (present !== null) return present;
  const { log, signal } = options;
  const shared = signal === undefined ? {} : { signal };
  try {
    await withFileLock(
      `${folder}.lock`,
      async () => {
        if (existsSync(join(folder, MARKER))) return;
        try {
          await install(folder, log, shared);
        } catch (error) {
          await rm(folder, { recursive: true, force: true });
          throw error;
        }
      },
      {
        onWait: (owner) => log(`Another co-harness (process ${owner}) installs the Python sandbox; waiting …`),
        ...shared,
      },
    );
  } catch (error) {
    if (signal?.aborted) throw new AbortedError();
    throw error;
  }
  return installationIn(folder);
}

async function install(folder: string, log: (line: string) => void, shared: { signal?: AbortSignal }): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  requireFreeSpace(folder, NEEDED_BYTES, 'the Python sandbox');
  const { npm_config_local_prefix: _prefix, ...env } = process.env;
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await timedStep(`Installing the Python sandbox (${PINS.join(', ')}; about 45 MB)`, log, () =>
    step('npm', ['install', '--prefix', folder, ...flags, ...PINS], { env, ...shared }),
  );
  const installation = await installationIn(folder);
  await timedStep('Starting Python once, to keep a snapshot of it', log, () =>
    step(installation.deno, pyodideArguments(installation, 'make', PYTHON_MEMORY_BYTES), {
      env: pyodideEnvironment(installation),
      ...shared,
    }),
  );
  await writeAtomically(join(folder, MARKER), `${JSON.stringify({ version: 1, packages: PINS })}\n`);
}

async function step(
  command: string,
  args: string[],
  options: { env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<void> {
  const { code, stderr } = await runCommand(command, args, options);
  if (code === 0) return;
  throw new CoHarnessError(
    'sandbox-install-failed',
    `The Python sandbox could not be installed: ${command} ended with ${code}: ${stderr.trim().slice(-600)}\n` +
      'Check the network and the npm registry (npm ping), and run: npx co-harness setup --python-sandbox',
    { details: { command, code } },
  );
}

/** Without install scripts the program lies in the package of this platform. */
async function installationIn(folder: string): Promise<PyodideInstallation> {
  const platforms = await readdir(join(folder, 'node_modules', '@deno')).catch(() => []);
  const deno = platforms
    .flatMap((name) => ['deno', 'deno.exe'].map((file) => join(folder, 'node_modules', '@deno', name, file)))
    .find((file) => existsSync(file));
  if (deno === undefined) {
    throw new CoHarnessError(
      'sandbox-install-failed',
      `There is no Deno for ${process.platform} ${process.arch} in ${folder}. Python tools cannot run on this platform.`,
    );
  }
  return {
    deno,
    pyodide: join(folder, 'node_modules', 'pyodide'),
    snapshot: join(folder, 'snapshot.bin'),
    denoFolder: join(folder, 'deno'),
  };
}
