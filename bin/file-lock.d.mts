export function withFileLock<T>(
  file: string,
  action: () => Promise<T>,
  options?: { onWait?: (ownerProcessId: number) => void; signal?: AbortSignal },
): Promise<T>;
