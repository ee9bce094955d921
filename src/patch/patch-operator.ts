import type { ContentHash } from '../base/content-hash.ts';
import type { Random } from '../base/random.ts';
import type { ComponentKind, Harness } from '../harness/harness.ts';
import type { Task } from '../task/task.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Cluster } from './aggregate.ts';
import type { Demonstration } from './demonstrations.ts';
import type { Patch } from './patch.ts';

/** Everything a proposer may look at: never a task of `gate` or `test`. */
export interface ProposalContext {
  harness: Harness;
  /** From {@link aggregate}, heaviest first. */
  clusters: readonly Cluster[];
  /** Train rollouts under this and earlier harnesses, newest last. */
  trajectories: readonly Trajectory[];
  /** With reference solutions where somebody supplied them. */
  trainTasks: readonly Task[];
  /** Train rollouts with score 1, under this or earlier harnesses. */
  successes: readonly Trajectory[];
  random: Random;
  /** {@link editsHash} of diffs refused before under the same weights. */
  refused: ReadonlySet<ContentHash>;
  /** Proposers of diffs judged so far in this run, oldest first: a way that was refused often comes later in the list. */
  history?: readonly { proposer: string; accepted: boolean }[];
}

/** A context with what several operators need, made once. */
export interface OperatorContext extends ProposalContext {
  /** Solutions of train tasks that can stand as examples. */
  demonstrations: readonly Demonstration[];
}

/** What an operator suggests; `proposePatches` makes the patch of it. */
export interface PatchDraft extends Pick<Patch, 'title' | 'edits' | 'probe'> {
  /** Component kind it mainly changes: variety is counted over these. */
  component: ComponentKind;
  /** In (0, 1]: how much the operator itself believes in this one, compared with its others. */
  promise: number;
  relaxes?: Patch['relaxes'];
  usesTasks?: Patch['usesTasks'];
}

/** A way to change φ, without a model. Deterministic given the context (its random stream included). */
export interface PatchOperator {
  readonly name: string;
  /**
   * Share of the cluster's failures it expects to fix, in [0, 1]; 0 = does not apply. Null cluster: what it promises without any
   * cause, as a simplification, a saving or an exploration.
   */
  reach(cluster: Cluster | null, harness: Harness): number;
  /** Whatever `reach` says: nothing where φ has nothing that it could change. */
  propose(context: OperatorContext): readonly PatchDraft[];
}
