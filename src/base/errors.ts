/**
 * Every error a user can meet. `code` is stable and is what callers branch on; the message says what, with which
 * values, what was expected and the next step. `details` holds the same values as fields. Keeps `cause`.
 */
export class CoHarnessError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: { details?: Record<string, unknown>; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CoHarnessError';
    this.code = code;
    this.details = options.details ?? {};
  }

  static isInstance(error: unknown, code?: string): error is CoHarnessError {
    return error instanceof CoHarnessError && (code === undefined || error.code === code);
  }
}

/** A defect of ours: never caught, never counted as a score. */
export class InvariantError extends CoHarnessError {
  constructor(message: string, details: Record<string, unknown> = {}) {
    super('invariant', `${message} (this is a defect of co-harness, please report it)`, { details });
    this.name = 'InvariantError';
  }
}

/** The operation was cancelled by the user (Ctrl-C) or by an enclosing deadline. Everything finished so far is kept. */
export class AbortedError extends CoHarnessError {
  constructor(message = 'Stopped. Run the same command again to continue where it stopped.') {
    super('aborted', message);
    this.name = 'AbortedError';
  }
}

/** The message of anything that was thrown, without a stack. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
