/** Callers that wait for "something has changed", in order of arrival. */
export class WakeQueue {
  #waiting = new Set<() => void>();

  /** Resolves at the next `wake`, or when `signal` fires; look again in both cases. Leaves no listener on the signal. */
  wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        this.#waiting.delete(finish);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      this.#waiting.add(finish);
      signal?.addEventListener('abort', finish, { once: true });
    });
  }

  wake(): void {
    for (const finish of [...this.#waiting]) finish();
  }
}
