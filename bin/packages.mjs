// Brings node_modules up to package-lock.json. Runs under whatever Node the user has (≥ 20), before any package exists.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFileLock } from './file-lock.mjs';

export const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const OLDEST_NODE = 20;
const isWindows = process.platform === 'win32';

/** A failure that the user can act on: printed without a stack. */
export class SetupError extends Error {}

/** Set-up speaks on stderr, so that `--json` answers on stdout stay parsable. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

export function secondsSince(start) {
  return `${Math.round((Date.now() - start) / 1000)} s`;
}

/** The Node 24 that the `node` package brings: the version is pinned by package-lock.json, like any dependency. */
export function installedNode(folder = projectFolder) {
  return join(folder, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node');
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** What npm says it installed; nothing where its record is damaged, so that it is installed again. */
function installedPackages(hiddenLock) {
  try {
    return readJson(hiddenLock).packages ?? {};
  } catch {
    return {};
  }
}

/**
 * Why node_modules must be installed, or null when it matches package-lock.json. npm writes node_modules/.package-lock.json
 * last, so an interrupted install counts as missing.
 */
export function staleReason(folder = projectFolder) {
  const hiddenLock = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(hiddenLock)) return 'packages are not installed';
  const installed = installedPackages(hiddenLock);
  for (const [path, wanted] of Object.entries(readJson(join(folder, 'package-lock.json')).packages)) {
    if (path === '' || wanted.optional) continue;
    if (installed[path]?.version !== wanted.version) {
      const name = path.replace(/^.*node_modules\//, '');
      return `${name} should be ${wanted.version} and is ${installed[path]?.version ?? 'missing'}`;
    }
  }
  return null;
}

/** Runs a program with its output on our stderr; resolves with the exit code, rejects when it cannot be started. */
function runVisible(command, args, folder) {
  // npm passes its own settings down to scripts; the prefix of an outer npx must not redirect this install.
  const { npm_config_local_prefix: _prefix, ...environment } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, env: environment, stdio: ['ignore', 2, 2], shell: isWindows });
    child.on('error', (error) =>
      reject(
        error.code === 'ENOENT'
          ? new SetupError(
              `${command} was not found on the PATH. Install Node.js ≥ ${OLDEST_NODE} with npm, then run this again.`,
            )
          : error,
      ),
    );
    child.on('close', (code, signal) => resolve(signal ? 130 : code));
  });
}

async function install(folder, reason) {
  const start = Date.now();
  say(`Installing packages with npm ci (${reason}; about half a minute) …`);
  const heartbeat = setInterval(() => say(`  still installing packages (${secondsSince(start)})`), 20_000);
  try {
    // dev dependencies bring Node 24 itself: NODE_ENV=production must not leave them out
    const code = await runVisible(
      'npm',
      ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
      folder,
    );
    if (code !== 0) {
      throw new SetupError(
        `npm ci failed with exit code ${code} in ${folder}. Its own message is above. Check the network and the registry ` +
          'setting (npm ping), free disk space (about 1 GB), and run this again; nothing else was changed.',
      );
    }
    await installNode(folder);
  } finally {
    clearInterval(heartbeat);
  }
  say(`Packages are ready after ${secondsSince(start)}.`);
}

/** Where the user's npm does not run install scripts (ignore-scripts), the `node` package has not fetched its binary yet. */
async function installNode(folder) {
  if (existsSync(installedNode(folder))) return;
  say('Fetching Node 24 (install scripts are switched off in this npm) …');
  await runVisible(process.execPath, ['installArchSpecificPackage.js'], join(folder, 'node_modules', 'node'));
  if (!existsSync(installedNode(folder))) {
    throw new SetupError(
      `Node 24 was not installed for ${process.platform}-${process.arch}: ${installedNode(folder)} is missing. Install ` +
        'Node.js ≥ 24 yourself and run the same command with it.',
    );
  }
}

/** Makes node_modules match package-lock.json; silent when it already does. Rejects with SetupError. */
export async function ensurePackages(folder = projectFolder) {
  const major = Number.parseInt(process.versions.node, 10);
  if (major < OLDEST_NODE) {
    throw new SetupError(
      `Node.js ${process.versions.node} is too old: co-harness starts from Node.js ≥ ${OLDEST_NODE}. Install a newer one.`,
    );
  }
  if (staleReason(folder) === null && existsSync(installedNode(folder))) return;
  await withFileLock(
    join(folder, '.co-harness', 'packages.lock'),
    async () => {
      const reason = staleReason(folder);
      if (reason !== null) await install(folder, reason);
      else await installNode(folder);
    },
    { onWait: (owner) => say(`Another co-harness (process ${owner}) is installing packages; waiting for it …`) },
  );
}
