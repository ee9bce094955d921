import type { SandboxRun } from './sandbox.ts';

/** One try to leave a sandbox or to harm its host. */
export interface HostileTry {
  /** What it goes for, as a test says it. */
  goal: string;
  code: string;
  /**
   * Ways it may end, beside being ended by its time limit, which a busy machine may do to any of them and which lets nothing out. `value`: how the
   * value begins when it ends with `ok`; an empty one must be empty.
   */
  ends: readonly ('error' | 'timeout' | 'memory' | { value: string })[];
}

export function isForeseen({ ends }: HostileTry, run: SandboxRun): boolean {
  if (run.kind === 'timeout') return true;
  return ends.some((end) => {
    if (typeof end === 'string') return run.kind === end;
    if (run.kind !== 'ok') return false;
    return end.value === '' ? run.value === '' : run.value.startsWith(end.value);
  });
}
