// A lock between processes: one file, created exclusively, that holds the owner's process id. Plain JavaScript because
// the first user of it runs before any package is installed.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const POLL_MS = 200;
/** A lock file without a readable process id is being written right now, or its writer died between two system calls. */
const UNREADABLE_LOCK_MS = 10_000;

function isAlive(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function ownerOf(file) {
  try {
    const processId = Number.parseInt(readFileSync(file, 'utf8'), 10);
    if (Number.isInteger(processId)) return isAlive(processId) ? processId : null;
    return Date.now() - statSync(file).mtimeMs > UNREADABLE_LOCK_MS ? null : -1;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Runs `action` while this process alone holds `file`. Waits while a living process holds it (`onWait` is told its id,
 * once); a lock whose owner is gone is taken over. Rejects with what `action` rejects, or with `signal.reason`.
 */
export async function withFileLock(file, action, { onWait = () => {}, signal } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  for (;;) {
    signal?.throwIfAborted();
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(file);
    if (owner === null) {
      rmSync(file, { force: true });
      continue;
    }
    if (!told) onWait(owner);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await action();
  } finally {
    rmSync(file, { force: true });
  }
}
