/**
 * `better`: shown to improve. `simpler`: shown not worse, and smaller. `faster`: shown not worse, with a measured gain in
 * tokens or time. `bought`: improves, but by spending more turns, tokens, votes or time. `reject`: refuted or hopeless.
 * `dead`: never seen to act in the child's rollouts. `indecisive`: no decision within the budget, or none allowed.
 */
export type GateVerdict = 'better' | 'simpler' | 'faster' | 'bought' | 'reject' | 'dead' | 'indecisive';

/**
 * `betting`: sequential, anytime-valid (the default). `permutation`, `mean`: fixed size, decided once all groups are in.
 * `paper`: the two point estimates of the paper; accepts a do-nothing diff about once in four.
 */
export const GATE_RULES = ['betting', 'permutation', 'mean', 'paper'] as const;
export type GateRule = (typeof GATE_RULES)[number];

/** Stable code behind a verdict. */
export type GateReason =
  | 'improved'
  | 'improved-by-spending'
  | 'not-worse-and-smaller'
  | 'not-worse-and-faster'
  | 'not-alive'
  | 'worse'
  | 'no-improvement'
  | 'targeted-not-improved'
  | 'held-out-inferior'
  | 'held-out-unproven'
  | 'not-shown-equal'
  | 'no-gain'
  | 'budget-exhausted'
  | 'all-tied'
  | 'unscored-all'
  | 'unscored-share'
  | 'unscored-imbalance';

/**
 * Mean over groups of child − parent, in [−1, 1], with an interval that holds at every look at once (level in
 * `evidence.level`); `parent` and `child` are the mean scores of both arms over the same groups, in [0, 1].
 */
export interface Effect {
  mean: number;
  low: number;
  high: number;
  parent: number;
  child: number;
  groups: number;
}

export interface GateEvidence {
  /** Error allowed for this decision, and the level of the effects' intervals. */
  alpha: number;
  level: number;
  /** Largest e-value reached against "no improvement" and what it needed (1/alpha); rules without e-values: null. */
  eValue: number | null;
  eValueNeeded: number | null;
  /** Fixed-size rules: one-sided p-value against "no improvement". */
  pValue: number | null;
  /** Largest e-value against "worse by the margin" on held-out behaviour, or on everything for deletions and speed. */
  notWorseEValue: number | null;
  /** Margin that was asked for, and the one that was tested (wider where the budget could not afford it). */
  margin: number;
  marginTested: number;
  /** How often the evidence was looked at, and how many looks the plan had. */
  looks: number;
  plannedLooks: number;
}

/** What one decision rests on: JSON, explains itself. */
export interface GateDecision {
  verdict: GateVerdict;
  reason: GateReason;
  explanation: string;
  rule: GateRule;
  whole: Effect;
  /** Pairs labelled as targeted; null when there were none. */
  targeted: Effect | null;
  /** Pairs not labelled as targeted; null when no pair is labelled. */
  heldOut: Effect | null;
  groups: number;
  pairs: number;
  unscored: { parent: number; child: number };
  /** Rollouts of both arms behind the decision, unscored ones included. */
  rollouts: number;
  /** Mean tokens per rollout, sent and generated. */
  tokens: { parent: number; child: number };
  /** Mean seconds per rollout where both arms were timed under the same load; null where none was, absent in records from before this field. */
  seconds?: { parent: number; child: number } | null;
  /** `bought`: additional tokens per rollout for each percentage point; null otherwise or where tokens fell. */
  tokensPerPoint: number | null;
  evidence: GateEvidence;
}

const ACCEPTING: ReadonlySet<GateVerdict> = new Set(['better', 'simpler', 'faster', 'bought']);

/** Whether the verdict lets a pair replace its parent (`bought` with its price). */
export function isAccepted(verdict: GateVerdict): boolean {
  return ACCEPTING.has(verdict);
}
