import type { SandboxRun } from '../../sandbox/sandbox.ts';
import { shownText } from '../../sandbox/sandbox.ts';

/** `failed` is shown to the model; `unavailable` is infrastructure: the back end does not exist here or broke by itself. */
export type ToolOutcome =
  | { kind: 'returned'; value: string }
  | { kind: 'failed'; errorType: string; problem: string }
  | { kind: 'unavailable'; why: string };

const ERROR_TYPES = { error: 'exception', timeout: 'timeout', memory: 'memory', refused: 'refused' } as const;

/** What a run in a sandbox means for a tool call. What was printed before a failure helps the model, so it comes with the problem. */
export function outcomeOfRun(run: SandboxRun): ToolOutcome {
  if (run.kind === 'ok') return { kind: 'returned', value: shownText(run) };
  if (run.kind === 'infrastructure') return { kind: 'unavailable', why: run.problem };
  const isStateLost = run.kind === 'timeout' || run.kind === 'memory';
  const parts = [
    run.output.replace(/\n$/, ''),
    run.problem.replace(/\n$/, ''),
    isStateLost ? 'Variables and functions of earlier calls are gone.' : '',
  ];
  return { kind: 'failed', errorType: ERROR_TYPES[run.kind], problem: parts.filter((text) => text !== '').join('\n') };
}
