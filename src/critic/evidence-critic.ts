import { InvariantError } from '../base/errors.ts';
import type { Harness } from '../harness/harness.ts';
import { isFailure } from '../trajectory/is-success.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Diagnosis } from './attribution.ts';
import type { Critic } from './critic.ts';
import type { EvidenceRule } from './evidence-rule.ts';
import { EVIDENCE_RULES } from './evidence-rules.ts';

/**
 * Diagnoses by the first rule that finds its evidence; deterministic, no model, no cost. Throws InvariantError for a rollout of
 * the `gate` or `test` split, or of another harness: neither may be read here.
 */
export function diagnose(
  trajectories: readonly Trajectory[],
  harness: Harness,
  rules: readonly EvidenceRule[] = EVIDENCE_RULES,
): Diagnosis[] {
  return trajectories.flatMap((trajectory) => {
    refuseForeign(trajectory, harness);
    return firstCause(trajectory, harness, rules) ?? [];
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

/** The rollout with the events of the vote whose answer counted: each vote is a course of its own. */
function countedVote(trajectory: Trajectory): Trajectory {
  const counted = trajectory.events.find((event) => event.type === 'answered' && event.answer === trajectory.answer);
  const vote = counted?.vote ?? trajectory.events.find((event) => event.vote !== undefined)?.vote;
  if (vote === undefined) return trajectory;
  return {
    ...trajectory,
    events: trajectory.events.filter((event) => event.vote === undefined || event.vote === vote),
  };
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
