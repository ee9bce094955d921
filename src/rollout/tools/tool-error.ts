import { CoHarnessError } from '../../base/errors.ts';

/** A tool refused its input or could not give a value. The model is shown the message; `errorType` is stable. */
export class ToolError extends CoHarnessError {
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(`tool-${errorType}`, message);
    this.name = 'ToolError';
    this.errorType = errorType;
  }
}
