const HEARTBEAT_MS = 15_000;

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Runs `action` and says that it began, every 15 s that it still goes on (with the last line passed to `progress`), and how
 * long it took. Rejects with what `action` rejects.
 */
export async function timedStep<T>(
  title: string,
  log: (line: string) => void,
  action: (progress: (line: string) => void) => Promise<T>,
): Promise<T> {
  const start = performance.now();
  let latest = '';
  log(`${title} …`);
  const heartbeat = setInterval(() => {
    log(`  ${formatDuration(performance.now() - start)}${latest === '' ? '' : `: ${latest.slice(0, 100)}`}`);
  }, HEARTBEAT_MS);
  try {
    const value = await action((line) => {
      latest = line.trim();
    });
    log(`  done after ${formatDuration(performance.now() - start)}`);
    return value;
  } finally {
    clearInterval(heartbeat);
  }
}
