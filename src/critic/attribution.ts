import type { ComponentKind } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

/** Root causes, strings of the method (arXiv 2607.22688, §3). `agent_error` is an abstention: never leads to a patch. */
export const ATTRIBUTION_LABELS = [
  'prompt_ambiguity',
  'tool_schema_error',
  'skill_missing',
  'middleware_mismatch',
  'memory_overflow',
  'agent_error',
] as const;
export type AttributionLabel = (typeof ATTRIBUTION_LABELS)[number];

/**
 * How far a diagnosis may go. `firm`: it may cost a diff. `needs-replay`: only once a replay has confirmed it. `undecided`: the votes
 * or the critics differ; it is kept for people and costs nothing.
 */
export type Standing = 'firm' | 'needs-replay' | 'undecided';

/** The critic's judgement of one failed rollout. */
export interface Diagnosis {
  /** Hash of the rollout's identity. */
  rollout: string;
  label: AttributionLabel;
  component: ComponentKind | null;
  /** Where φ would change, as a patch path; null for `agent_error`. */
  path: string | null;
  /** What happened, as a stable key that failures with the same mechanism share, e.g. `no-call`. */
  mechanism: string;
  explanation: string;
  /** (0, 1]: share of the rollout's value that this cause cost. */
  severity: number;
  /** [0, 1]. */
  confidence: number;
  /** Never empty: events of the trajectory (or a path of φ), with what they show. */
  evidence: { event: string; quote: string }[];
  /** The local change that would remove the cause, where the evidence itself gives it. Never for `agent_error`. */
  repair?: readonly PatchEdit[];
  /** Absent = `firm`. */
  standing?: Standing;
  /** Name of the critic that judged; absent = the evidence rules. */
  critic?: string;
}
