import { contentHash } from '../base/content-hash.ts';
import type { AuditEvidence, Version } from '../registry/version.ts';
import type { Arm } from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';

export interface RollbackOrder {
  from: Version;
  to: Arm;
  /** Versions whose change is taken back. */
  undoes: number[];
  evidence: AuditEvidence;
  round: number;
  reason: string;
  /** The version that `to` is, where it is one. */
  goal?: Version;
}

/** Makes an earlier state the champion again, as a new entry with what was seen. */
export async function rollBack(context: RunContext, order: RollbackOrder): Promise<Version> {
  const { from, to, undoes, evidence, round, reason, goal } = order;
  const stepKey = contentHash({ step: 'automatic rollback', seed: context.seed, from: from.version, to: to.pair });
  const where = goal === undefined ? `v${from.version} without it` : `v${goal.version}`;
  const version = await context.registry.record(
    stepKey,
    {
      seed: context.seed,
      round,
      parent: from.version,
      kind: 'rollback',
      pair: to.pair,
      verdict: 'rollback',
      reason: reasonOf(evidence),
      explanation: `Back to ${where}: ${reason}. ${evidence.explanation}`,
      patch: null,
      decision: null,
      prediction: null,
      training: null,
      rolledBack: { evidence, undoes },
    },
    to.harness,
  );
  context.emit({ type: 'version-recorded', seed: context.seed, round, version });
  return version;
}

function reasonOf({ against, verdict }: AuditEvidence): string {
  if (against === 'without-diff') return 'harmful-diff';
  return verdict === 'drifted' ? 'drift' : 'not-shown-equal';
}
