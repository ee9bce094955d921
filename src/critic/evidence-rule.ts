import { contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { AttributionLabel, Diagnosis } from './attribution.ts';

/**
 * One deterministic cause. `diagnose` is given a failed, scored rollout and the harness it ran under, and answers null when its
 * evidence is not there. It reads events, score and extracted answer, never the gold answer, and knows no tool, number or domain.
 * Never throws.
 */
export interface EvidenceRule {
  readonly name: string;
  readonly label: AttributionLabel;
  diagnose(trajectory: Trajectory, harness: Harness): Diagnosis | null;
}

/** What a rule found, without the fields that follow from rule and rollout. `mechanism` defaults to the rule's name. */
export type Finding = Omit<Diagnosis, 'rollout' | 'label' | 'mechanism'> & { mechanism?: string };

/** A rule from its name, label and a function that returns its finding. */
export function evidenceRule(
  name: string,
  label: AttributionLabel,
  find: (trajectory: Trajectory, harness: Harness) => Finding | null,
): EvidenceRule {
  return {
    name,
    label,
    diagnose: (trajectory, harness) => {
      const finding = find(trajectory, harness);
      return finding === null
        ? null
        : { mechanism: name, ...finding, label, rollout: contentHash(trajectory.identity) };
    },
  };
}
