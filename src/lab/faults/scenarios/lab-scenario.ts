import type { Harness } from '../../../harness/harness.ts';
import type { Task } from '../../../task/task.ts';
import type { Verifier } from '../../../task/verifier.ts';
import type { ActorMind } from '../actor/scripted-actor.ts';

/** A working harness, the tasks it works on, and an actor's mind for them. */
export interface LabScenario {
  name: string;
  harness: Harness;
  verifier: Verifier;
  mind: ActorMind;
  /** Task number `index` of an endless stream; the same index gives the same task. Each is its own group. */
  task(index: number): Task;
}

/** Tokens (characters, for the scripted model) that one call holds. */
export const LAB_WINDOW_TOKENS = 9000;
