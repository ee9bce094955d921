import type { ChildProcess } from 'node:child_process';

/** Time in which what a program wrote last arrives. */
const GRACE_MS = 200;

/**
 * Lets a child process `close` soon after its `exit`: what it left running in the background may hold its pipes open for ever, and it has said
 * what it has to say.
 */
export function closeAfterExit(child: ChildProcess): void {
  const release = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  // Behind the timer one more reading of the pipes: this thread may have been busy all the while.
  child.once('exit', () => setTimeout(() => setImmediate(release), GRACE_MS).unref());
}
