import { InvariantError } from '../base/errors.ts';
import type { Harness } from '../harness/harness.ts';
import { isFailure } from '../trajectory/is-success.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Diagnosis } from './attribution.ts';
import { countedVote } from './counted-vote.ts';
import type { Critic } from './critic.ts';
import type { EvidenceRule } from './evidence-rule.ts';
import { EVIDENCE_RULES } from './evidence-rules.ts';
import { withSharedCauses } from './shared-cause.ts';

/**
 * Diagnoses by the first rule that finds its evidence; deterministic, no model, no cost. Successes are not diagnosed, but weighed: a symptom that
 * few of all rollouts share is an abstention, and what failures share and successes lack is a cause. Throws InvariantError for a rollout of
 * the `gate` or `test` split, or of another harness: neither may be read here.
 */
export function diagnose(
  trajectories: readonly Trajectory[],
  harness: Harness,
  rules: readonly EvidenceRule[] = EVIDENCE_RULES,
): Diagnosis[] {
  for (const trajectory of trajectories) refuseForeign(trajectory, harness);
  const causes = trajectories.flatMap((trajectory) => firstCause(trajectory, harness, rules) ?? []);
  const scored = trajectories.filter(({ outcome }) => outcome.kind === 'scored').length;
  return withSharedCauses(withoutIsolatedCauses(causes, scored), trajectories, harness);
}

/** A symptom that fewer rollouts than this share, of at least {@link ENOUGH_ROLLOUTS}, is not laid to φ. */
const LEAST_SHARE = 0.1;
const ENOUGH_ROLLOUTS = 20;
/** From here on the evidence itself names the place, and one rollout is enough. */
const CERTAIN = 0.8;

/**
 * A part of φ acts on every rollout of its kind. What the same φ carries the others through, and what happens to few, is the model's own: unless the
 * evidence shows the broken part itself, such a diagnosis becomes an abstention.
 */
function withoutIsolatedCauses(causes: readonly Diagnosis[], scored: number): Diagnosis[] {
  if (scored < ENOUGH_ROLLOUTS) return [...causes];
  const counts = Map.groupBy(causes, ({ label, mechanism }) => `${label} ${mechanism}`);
  return causes.map((cause) => {
    const count = counts.get(`${cause.label} ${cause.mechanism}`)?.length ?? 0;
    if (cause.label === 'agent_error' || cause.confidence >= CERTAIN || count / scored >= LEAST_SHARE) return cause;
    const { repair: _repair, ...rest } = cause;
    return {
      ...rest,
      label: 'agent_error',
      component: null,
      path: null,
      mechanism: `isolated-${cause.mechanism}`,
      explanation: `${cause.explanation} It happens in ${count} of ${scored} rollouts of the same harness: the others are carried through.`,
      confidence: 0.6,
    };
  });
}

/** Failed, scored rollouts in order. Throws InvariantError like {@link diagnose}. */
export function readableFailures(trajectories: readonly Trajectory[], harness: Harness): Trajectory[] {
  for (const trajectory of trajectories) refuseForeign(trajectory, harness);
  return trajectories.filter(isFailure);
}

/**
 * The first rule's diagnosis of one failed rollout; null for a success or an unscored one. Of any split: the gate labels its own rollouts
 * with it and lets only the counts out. Everybody else uses {@link diagnose}.
 */
export function firstCause(
  trajectory: Trajectory,
  harness: Harness,
  rules: readonly EvidenceRule[] = EVIDENCE_RULES,
): Diagnosis | null {
  if (!isFailure(trajectory)) return null;
  const counted = countedVote(trajectory);
  for (const rule of rules) {
    const diagnosis = rule.diagnose(counted, harness);
    if (diagnosis !== null) return diagnosis;
  }
  return null;
}

function refuseForeign({ identity, taskId }: Trajectory, harness: Harness): void {
  if (identity.split === 'gate' || identity.split === 'test') {
    throw new InvariantError(`A ${identity.split} rollout (${taskId}) was shown to the critic`, {
      split: identity.split,
    });
  }
  if (identity.harness !== harness.hash) {
    throw new InvariantError(`A rollout of harness ${identity.harness} was diagnosed against harness ${harness.hash}`, {
      rollout: identity.harness,
      harness: harness.hash,
    });
  }
}

export const evidenceCritic: Critic = {
  name: 'evidence',
  diagnose: async (trajectories, harness) => diagnose(trajectories, harness),
};
