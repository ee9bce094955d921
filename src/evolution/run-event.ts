import { errorMessage } from '../base/errors.ts';
import type { Version } from '../registry/version.ts';

export type PhaseName = 'harness' | 'weights' | 'test';

/** What a run tells its observers, in order. Observers cannot change the run; one that throws is dropped with a notice. */
export type RunEvent = { seed: number; round: number } & (
  | { type: 'phase-started'; phase: PhaseName; detail: string }
  | { type: 'plan-made'; phase: PhaseName; lines: string[] }
  /** `done` of `total` rollouts of the current step; `secondsLeft` undefined until it can be estimated. */
  | { type: 'progress'; step: string; done: number; total: number; secondsLeft?: number }
  | { type: 'step-finished'; step: string; detail: string }
  | {
      type: 'failures-diagnosed';
      failures: number;
      clusters: { label: string; mechanism: string; count: number }[];
    }
  | { type: 'candidate-screened'; title: string; correct: number; tasks: number; kept: boolean }
  | { type: 'patch-refused'; title: string; reason: string }
  | { type: 'version-recorded'; version: Version }
  | {
      type: 'training-progress';
      step: number;
      steps: number;
      loss: number;
      tokensPerSecond: number;
      secondsLeft: number;
    }
  | { type: 'notice'; text: string }
);

export type RunObserver = (event: RunEvent) => void;

/** One emitter over several observers. A throwing observer is reported to the others once, behind the event, and then left out. Never throws. */
export function broadcast(observers: readonly RunObserver[]): RunObserver {
  const active = new Set(observers);
  return (event) => {
    const { seed, round } = event;
    const left = [event];
    // Grows while it is walked: a notice can be what the next observer fails at.
    for (const next of left) {
      for (const observer of [...active]) {
        try {
          observer(next);
        } catch (error) {
          active.delete(observer);
          const text = `An observer of the run failed and gets no more events: ${errorMessage(error)}`;
          left.push({ type: 'notice', seed, round, text });
        }
      }
    }
  };
}
