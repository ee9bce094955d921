import type { ContentHash } from '../base/content-hash.ts';
import type { AttributionLabel } from '../critic/attribution.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';
import type { PatchScope } from './patch-scope.ts';

/** How a patch will be seen to act in the child's rollouts. A patch that is not seen is `dead`, whatever the score did. */
export type PatchProbe =
  | { kind: 'prompt-changed' }
  | { kind: 'setting-changed' }
  /** Another number of rollouts ran side by side. */
  | { kind: 'in-flight-changed' }
  /** `action` narrows an event that tells several things apart. */
  | { kind: 'event-seen'; event: string; action?: string }
  /** A middleware, by its id, did something. */
  | { kind: 'hook-fired'; middleware: string }
  | { kind: 'tool-called'; tool: string };

/** A proposed local change of φ: one mechanism, possibly several fields that only make sense together. */
export interface Patch {
  id: ContentHash;
  /** Harness it was written for. */
  base: ContentHash;
  title: string;
  /** Operator or proposer that wrote it. */
  proposer: string;
  target: { label: AttributionLabel; mechanism: string } | null;
  edits: readonly PatchEdit[];
  /** What it declares to change; an edit elsewhere is refused unseen. Registry entries from before this field lack it. */
  scope: PatchScope;
  probe: PatchProbe;
  /** Whether it raises turns, tokens, votes or time: then it can be `bought`, never `better`. */
  relaxes: readonly ('turns' | 'tokens' | 'votes' | 'time')[];
  /** Hashes of train tasks whose content went into the patch. */
  usesTasks: readonly ContentHash[];
  /** Share of the targeted failures the proposer expects to fix, in [0, 1]; scored afterwards. */
  predictedFix: number | null;
  /** Share of the rollouts that go well now and that it is expected to break, in [0, 1]; scored afterwards. Null or absent: nothing is said. */
  predictedRegression?: number | null;
  /** Expected relative change of the tokens of one rollout, 0.1 = a tenth more; scored afterwards. Null or absent: nothing is said. */
  predictedCost?: number | null;
}
