// Runs a TypeScript file of this project under the Node 24 of node_modules, as if it were this process.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { installedNode } from './packages.mjs';

/** npm forwards a Ctrl-C that the terminal also delivers: two signals this close are one key press. */
const SAME_KEY_PRESS_MS = 250;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/**
 * Resolves with the exit code (128 + signal number where a signal ended it). The child leads its own process group, so that
 * the terminal's Ctrl-C reaches it exactly once, through this process; it ends when this process is killed (parent-watch.mjs).
 */
export function runNode24(file, args, { cwd = process.cwd(), env = process.env } = {}) {
  const watch = new URL(`./parent-watch.mjs?parent=${process.pid}`, import.meta.url).href;
  const child = spawn(installedNode(), ['--disable-warning=ExperimentalWarning', '--import', watch, file, ...args], {
    cwd,
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: process.platform !== 'win32',
  });
  const lastSent = new Map();
  const forward = (signal) => {
    const now = Date.now();
    if (now - (lastSent.get(signal) ?? 0) < SAME_KEY_PRESS_MS) return;
    lastSent.set(signal, now);
    child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, () => forward(signal));
  process.stdout.on('resize', () => child.kill('SIGWINCH'));
  if (process.platform !== 'win32') {
    process.on('SIGTSTP', () => {
      process.kill(-child.pid, 'SIGSTOP');
      process.kill(process.pid, 'SIGSTOP');
    });
    process.on('SIGCONT', () => process.kill(-child.pid, 'SIGCONT'));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : code));
  });
}
