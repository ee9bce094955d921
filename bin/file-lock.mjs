// A lock between processes: one file, created exclusively, that names its owner. Plain JavaScript because the first user of
// it runs before any package is installed.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const POLL_MS = 200;
/** Taking over a lock whose owner is gone is a matter of a few system calls. */
const TAKEOVER_POLL_MS = 10;
/** What stands unfinished so long was left by a process that died between two system calls. */
const UNFINISHED_MS = 10_000;

/** Files that this process holds. */
const held = new Set();

/**
 * When a process began: ticks since the machine's start, and which start that was. Ids are given again (in a container the first
 * process has the same one at every start), this is not. Empty where the system does not tell.
 */
function birthOf(processId) {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    // The second field, the program's name in brackets, may hold blanks and brackets.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${ticks} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    return '';
  }
}

/** What a lock of this process holds: its id, and behind it when it began, which locks of older versions lack. */
function ownText() {
  return `${process.pid} ${birthOf(process.pid)}`.trim();
}

function answersSignals(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isLiving(processId, birth, file) {
  // With the same birth it may be another thread of this process.
  if (processId === process.pid) return held.has(file) || (birth !== '' && birth === birthOf(processId));
  if (!answersSignals(processId)) return false;
  const now = birthOf(processId);
  return birth === '' || now === '' || birth === now;
}

/** Null where there is no file. */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isUnfinished(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs <= UNFINISHED_MS;
}

/** Id of the living process that a lock's text names; −1 where its writer has not yet written it; null where nobody holds it. */
function ownerIn(text, file) {
  const [first = '', ...birth] = text.trim().split(' ');
  const processId = Number.parseInt(first, 10);
  if (Number.isInteger(processId)) return isLiving(processId, birth.join(' '), file) ? processId : null;
  return isUnfinished(file) ? -1 : null;
}

/** False where `make` finds something there already. */
function couldMake(make) {
  try {
    make();
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of an owner that is gone. One process at a time, and looking again: of two that both found the owner gone, the second
 * would else remove the lock that the first has made meanwhile.
 */
function removeStale(file) {
  const guard = `${file}.takeover`;
  if (!couldMake(() => mkdirSync(guard))) {
    if (!isUnfinished(guard)) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    const text = textOf(file);
    // Read once more: its owner may have let go and ended, and another come, between the reading and the look for the owner.
    if (text !== null && ownerIn(text, file) === null && textOf(file) === text) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
}

/** Waits until this process has created `file` with `text`. */
async function acquire(file, text, onWait, signal) {
  let told = false;
  for (;;) {
    signal?.throwIfAborted();
    if (couldMake(() => writeFileSync(file, text, { flag: 'wx' }))) {
      held.add(file);
      return;
    }
    const found = textOf(file);
    const owner = found === null ? null : ownerIn(found, file);
    if (owner === null) removeStale(file);
    else if (!told) {
      onWait(owner);
      told = true;
    }
    await new Promise((done) => setTimeout(done, owner === null ? TAKEOVER_POLL_MS : POLL_MS));
  }
}

/**
 * Runs `action` while this process alone holds `path`. Waits while a living process holds it (`onWait` is told its id,
 * once); a lock whose owner is gone is taken over. Rejects with what `action` rejects, or with `signal.reason`.
 *
 * Only processes that see each other exclude each other: those of one machine, and of one container where they run in one.
 */
export async function withFileLock(path, action, { onWait = () => {}, signal } = {}) {
  const file = resolve(path);
  mkdirSync(dirname(file), { recursive: true });
  const text = ownText();
  await acquire(file, text, onWait, signal);
  try {
    return await action();
  } finally {
    held.delete(file);
    if (textOf(file) === text) rmSync(file, { force: true });
  }
}
