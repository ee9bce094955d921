/** Aborted by the first Ctrl-C or SIGTERM, so that running programs end and partial files go; the second ends the process at once. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(130);
    process.stderr.write('Stopping … (Ctrl-C again stops at once)\n');
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}
