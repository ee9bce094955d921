import type { GateRule } from './decision.ts';
import type { PairedOutcome } from './paired-outcome.ts';
import type { GatePlan } from './plan-gate.ts';

/** What kind of change is judged; decides what must be shown, and what it is called. */
export interface ChangeKind {
  /** What it raises (turns, tokens, votes, time). Not empty: never `better`, at most `bought`. */
  relaxes: readonly string[];
  /** Makes φ smaller: "not worse" is enough, for `simpler`. */
  deletion: boolean;
  /** Meant to save tokens or time: "not worse" plus a measured gain, for `faster`. */
  speed: boolean;
}

/** Share of pairs without two scores above which nothing is decided on the others. */
export const UNSCORED_LIMIT = 0.1;

export interface JudgeRequest {
  plan: GatePlan;
  rule: GateRule;
  /** Error allowed to this decision (see searchErrorControl). Must be the plan's. */
  alpha: number;
  /** Margin asked for; the plan may have had to widen it. */
  margin: number;
  kind: ChangeKind;
  /**
   * All pairs of groups `from` (inclusive, 0-based) to `to` (exclusive) of a seeded order that was fixed before any outcome was
   * known; called with ascending, adjoining ranges, one for each of `plan.batches`. An empty array ends the evidence early.
   */
  drawBatch: (from: number, to: number) => Promise<PairedOutcome[]>;
  /** Whether the change was seen to act in the child's rollouts so far. */
  seen: () => { alive: boolean; why: string };
  /** Largest share of pairs without two scores that still allows a decision; default {@link UNSCORED_LIMIT}. */
  unscoredLimit?: number;
  /** Seed of the permutation test's sampling. */
  seed?: number;
  signal?: AbortSignal;
}
