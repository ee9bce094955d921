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
  /** Where the numbers of a weight update come from. */
  training: TrainingRecord | null;
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

export function isAccepting(verdict: VersionVerdict): boolean {
  return ACCEPTING.has(verdict);
}
