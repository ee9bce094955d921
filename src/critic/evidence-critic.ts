import { InvariantError } from '../base/errors.ts';
import type { Harness } from '../harness/harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Diagnosis } from './attribution.ts';
import { type Critic, isFailure } from './critic.ts';
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
    if (!isFailure(trajectory)) return [];
    for (const rule of rules) {
      const diagnosis = rule.diagnose(trajectory, harness);
      if (diagnosis !== null) return [diagnosis];
    }
    return [];
  });
}

function refuseForeign({ identity, taskId }: Trajectory, harness: Harness): void {
  if (identity.split === 'gate' || identity.split === 'test') {
    throw new InvariantError(`A ${identity.split} rollout (${taskId}) was shown to the critic`, { split: identity.split });
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
