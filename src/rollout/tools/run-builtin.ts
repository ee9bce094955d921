import { AbortedError, errorMessage, InvariantError } from '../../base/errors.ts';
import type { HarnessTool } from '../../harness/harness.ts';
import type { BuiltinTool } from './builtin-tools.ts';
import { ToolError } from './tool-error.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** Runs a built-in of this process. What it throws is a failed call; rejects with AbortedError or InvariantError alone. */
export async function runBuiltin(
  builtins: ReadonlyMap<string, BuiltinTool>,
  { limits }: HarnessTool,
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const run = builtins.get(name);
  if (run === undefined) {
    const known = [...builtins.keys(), 'run_js', 'run_python'].join(', ');
    return {
      kind: 'failed',
      errorType: 'unknown-builtin',
      problem: `there is no built-in "${name}" (known: ${known})`,
    };
  }
  try {
    const started = run(args, signal);
    const value = typeof started === 'string' ? started : await withinTime(started, limits.wallMs, signal);
    return { kind: 'returned', value };
  } catch (error) {
    if (error instanceof AbortedError || error instanceof InvariantError) throw error;
    if (error instanceof ToolError) return { kind: 'failed', errorType: error.errorType, problem: error.message };
    return { kind: 'failed', errorType: 'exception', problem: errorMessage(error) };
  }
}

function withinTime(started: Promise<string>, limitMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new AbortedError());
    const timer = setTimeout(() => reject(new ToolError('timeout', `no value within ${limitMs} ms`)), limitMs);
    signal.addEventListener('abort', stop, { once: true });
    started.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  });
}
