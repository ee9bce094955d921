import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { GateDecision } from '../gate/decision.ts';
import type { ModelIdentity } from '../model/model-backend.ts';
import type { Patch } from '../patch/patch.ts';

/** (φ, θ): the unit that is versioned, served, evaluated and shipped. */
export interface Pair {
  harness: ContentHash;
  model: ModelIdentity;
}

export function pairHash(pair: Pair): ContentHash {
  return contentHash(pair);
}

export type VersionVerdict = GateDecision['verdict'] | 'seed' | 'rollback' | 'refused';

/**
 * One entry of the registry, never changed after it was written. `pair` is what was proposed; it became the champion exactly when
 * `accepted`. `parent` is the version number it was compared with, null for the seed.
 */
export interface Version {
  version: number;
  seed: number;
  round: number;
  parent: number | null;
  kind: 'seed' | 'harness' | 'weights' | 'rollback';
  pair: Pair;
  verdict: VersionVerdict;
  accepted: boolean;
  /** Stable code. */
  reason: string;
  explanation: string;
  patch: Patch | null;
  decision: GateDecision | null;
  /** What the proposer predicted and what came of it; null where nothing was predicted. */
  prediction: { fix: number; observed: number | null } | null;
  /**
   * Predicted and observed side effects of a diff. `regression`: share of the score on pairs outside the target that is lost, net, in [0, 1]. `cost`: relative
   * change of the tokens of a rollout. Null where nothing was predicted; absent in entries from before it was asked for.
   */
  sideEffects?: { regression: PredictedEffect | null; cost: PredictedEffect | null };
  /** Where the numbers of a weight update come from. */
  training: TrainingRecord | null;
  /** Entries that the loop rolled back by itself: what was seen, and which versions' changes it takes back. */
  rolledBack?: { evidence: AuditEvidence; undoes: number[] };
}

/** `observed` is null where the gate saw nothing of it. */
export interface PredictedEffect {
  predicted: number;
  observed: number | null;
}

/**
 * A champion compared, on gate tasks and seeds of their own, with something that does not move with it. `mean`, `low`, `high`: champion −
 * reference over groups, in [−1, 1]; the interval holds at every look.
 */
export interface AuditEvidence {
  /** The frozen seed pair, the last champion that passed its audit, or the champion without one of its accepted diffs. */
  against: 'seed' | 'audited' | 'without-diff';
  /** Version audited; version it was compared with, null for a pair that never was one. */
  subject: number;
  reference: number | null;
  /** `ok`: shown to have lost less than the margin. `drifted`: shown to have lost. `unclear`: neither. */
  verdict: 'ok' | 'drifted' | 'unclear';
  /** Why so much is unscored that nothing can be said: `unclear`, and no reason for a rollback. */
  blocked?: 'unscored-all' | 'unscored-share' | 'unscored-imbalance';
  mean: number;
  low: number;
  high: number;
  groups: number;
  rollouts: number;
  /** Mean tokens per rollout. */
  tokens: { subject: number; reference: number };
  explanation: string;
}

export interface TrainingRecord {
  dataset: ContentHash;
  rows: number;
  tasks: number;
  samples: number;
  verifiedShare: number;
  firstLoss: number;
  lastLoss: number;
  seconds: number;
  tokenIds: 'exact' | 'none';
}

const ACCEPTING: ReadonlySet<VersionVerdict> = new Set(['seed', 'better', 'simpler', 'faster', 'bought', 'rollback']);

/**
 * Whether an entry becomes the champion. A `faster` pair that scored lower, though within the margin, does not: the champion is the best quality. The sealed test
 * measures both, and the report's Pareto front says what each is worth.
 */
export function movesChampion({ verdict, decision }: Pick<Version, 'verdict' | 'decision'>): boolean {
  if (verdict === 'faster' && decision !== null && decision.whole.mean < 0) return false;
  return ACCEPTING.has(verdict);
}
