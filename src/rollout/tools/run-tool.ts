import { AbortedError, errorMessage, InvariantError } from '../../base/errors.ts';
import type { HarnessTool } from '../../harness/harness.ts';
import { BUILTIN_TOOLS, type BuiltinTool } from './builtin-tools.ts';
import { ToolError } from './tool-error.ts';

/** `failed` is shown to the model; `unavailable` is infrastructure: this installation has no such back end. */
export type ToolOutcome =
  | { kind: 'returned'; value: string }
  | { kind: 'failed'; errorType: string; problem: string }
  | { kind: 'unavailable'; why: string };

/** What a `record` back end answers: the call itself is the product. */
export const RECORDED = 'recorded';

/**
 * Runs one call whose arguments have been checked, within the tool's limits. Never rejects for what the tool did; rejects with AbortedError
 * when `signal` fires, or InvariantError.
 */
export async function runTool(
  tool: HarnessTool,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  builtins: ReadonlyMap<string, BuiltinTool> = BUILTIN_TOOLS,
): Promise<ToolOutcome> {
  const { backend, limits } = tool;
  if (backend.kind === 'record') return { kind: 'returned', value: RECORDED };
  if (backend.kind !== 'builtin') {
    return { kind: 'unavailable', why: `tool "${tool.name}": back end kind "${backend.kind}" is not available here` };
  }
  const run = builtins.get(backend.name);
  if (run === undefined) {
    const known = [...builtins.keys()].join(', ');
    return {
      kind: 'failed',
      errorType: 'unknown-builtin',
      problem: `there is no built-in "${backend.name}" (known: ${known})`,
    };
  }
  try {
    const started = run(args, signal);
    const value = typeof started === 'string' ? started : await withinTime(started, limits.wallMs, signal);
    return { kind: 'returned', value: capped(value, limits.outputCharacters) };
  } catch (error) {
    if (error instanceof AbortedError || error instanceof InvariantError) throw error;
    if (error instanceof ToolError) return { kind: 'failed', errorType: error.errorType, problem: error.message };
    return { kind: 'failed', errorType: 'exception', problem: errorMessage(error) };
  }
}

function capped(value: string, limit: number): string {
  return value.length <= limit ? value : `${value.slice(0, limit)}… [${value.length - limit} more characters]`;
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
