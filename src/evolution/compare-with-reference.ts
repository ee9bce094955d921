import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { once } from '../base/journal.ts';
import { points } from '../base/share-text.ts';
import { type DriftVerdict, driftCheck } from '../gate/drift-check.ts';
import { UNSCORED_LIMIT } from '../gate/judge-request.ts';
import { PairLedger } from '../gate/paired-outcome.ts';
import { type GatePlan, planGate } from '../gate/plan-gate.ts';
import type { AuditEvidence, Version } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { gateGroups, tasksPerGateGroup } from './draw-tasks.ts';
import { secondsPerRollout } from './pair-rates.ts';
import { type Arm, rollPairs } from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';
import { planOnce } from './size-plan.ts';

export interface ReferenceOrder {
  round: number;
  subject: { version: Version; arm: Arm };
  reference: { version: Version | null; arm: Arm };
  against: AuditEvidence['against'];
  /** Named in the plan. */
  title: string;
  /** Share of pairs whose scores are expected to differ. */
  discordance: number;
  /** Groups below which the version could not be kept, which it gets whatever the time; null where it may stay unaudited. */
  leastGroups: number | null;
  /** Error of "shown to have lost less than the margin", and of "shown to have lost". */
  alpha: number;
  lossAlpha: number;
}

/** Looks at the evidence of one audit, at most: it stops as soon as it knows. */
const LOOKS = 4;

/** Share of a run's time that one audit may take, and the groups it gets where there are as many, whatever the time. */
const TIME_SHARE = 0.02;
const FEWEST_GROUPS = 40;

/**
 * Rolls the champion and something that does not move with it out on the same gate tasks, under seeds that no gate of this round uses. All audits
 * of a round share them: the reference is bought once, and greedy rollouts that a gate has bought are not bought again. Kept in the journal.
 */
export async function compareWithReference(context: RunContext, order: ReferenceOrder): Promise<AuditEvidence> {
  const { subject, reference, round, alpha, lossAlpha, against } = order;
  const { margin } = context.config.gate;
  const pairs = { subject: subject.arm.pair, reference: reference.arm.pair };
  const key = contentHash({ step: 'audit', seed: context.seed, round, ...pairs, alpha, lossAlpha, margin, against });
  return once(context.journal, 'audit', key, async () => {
    const tasks = await tasksOf(context, order, key);
    const plan = planAudit(context, order, tasks);
    const ledger = new PairLedger();
    const differences: number[] = [];
    let verdict = driftCheck({ differences, margin });
    let blocked: ReturnType<PairLedger['block']> = null;
    let drawn = 0;
    for (const batch of plan?.batches ?? []) {
      const pairOrder = {
        round,
        step: 'audit',
        purpose: 'audit' as const,
        parent: reference.arm,
        child: subject.arm,
        patch: null,
        seedStream: `audit ${round}`,
        repeats: 1,
      };
      const unused = { parent: [], child: [] };
      const outcomes = await rollPairs(context, pairOrder, tasks.slice(drawn, drawn + batch).flat(), unused);
      drawn += batch;
      differences.push(...ledger.add(outcomes).map((row) => row.whole));
      const expected = plan === null ? {} : { plannedVariance: plan.groupVariance, plannedGroups: plan.groups };
      blocked = ledger.block(UNSCORED_LIMIT, drawn < tasks.length);
      verdict = driftCheck({ differences, margin, alpha, lossAlpha, ...expected });
      if (blocked !== null) break;
      // A loss that is shown early may still turn out to be within the margin: only one beyond it ends the audit.
      if (verdict.verdict === 'ok' || (verdict.verdict === 'drifted' && verdict.mean < -margin)) break;
    }
    blocked ??= ledger.block(UNSCORED_LIMIT, false);
    if (blocked === null) return evidenceOf(order, verdict, ledger);
    const explanation = `Nothing can be said, so nothing is rolled back (the reference counts as parent, the champion as child): ${blocked.explanation}`;
    context.emit({ type: 'notice', seed: context.seed, round, text: `Audit against ${order.title}: ${explanation}` });
    return {
      ...evidenceOf(order, { ...verdict, verdict: 'unclear', explanation }, ledger),
      blocked: blocked.reason,
    };
  });
}

/** Gate tasks of an audit by group, as many as its time allows. */
async function tasksOf(
  context: RunContext,
  { subject, reference, leastGroups }: ReferenceOrder,
  key: ContentHash,
): Promise<Task[][]> {
  const arms = [subject.arm, reference.arm];
  const perGroup =
    arms.reduce((sum, { harness, pair }) => sum + secondsPerRollout(context, harness, pair.model), 0) *
    tasksPerGateGroup(context);
  const all = gateGroups(context);
  const { sizes, budget, seeds } = context.config;
  const { groups } = await planOnce(context, { phase: 'audit', key }, () => {
    const affordable = Math.floor(((budget.time / seeds) * TIME_SHARE) / perGroup);
    const wanted = Math.max(FEWEST_GROUPS, affordable, leastGroups ?? 0);
    return { groups: Math.min(all.length, sizes.auditGroups ?? wanted) };
  });
  return all.slice(0, groups);
}

/** What an audit will see, told before a rollout is paid; null where nothing could be seen with so few groups: then nothing is paid. */
function planAudit(context: RunContext, order: ReferenceOrder, tasks: readonly Task[][]): GatePlan | null {
  const { subject, round, title, lossAlpha, discordance, leastGroups } = order;
  const { margin } = context.config.gate;
  const about = `audit of v${subject.version.version} against ${title}`;
  const phase = subject.version.kind === 'weights' ? 'weights' : 'harness';
  const tell = (line: string) =>
    context.emit({ type: 'plan-made', seed: context.seed, round, phase, lines: [`${about}: ${line}`] });
  try {
    const plan = planGate({
      groups: tasks.length,
      tasksPerGroup: tasks.flat().length / Math.max(1, tasks.length),
      repeats: 1,
      alpha: lossAlpha,
      margin,
      looks: LOOKS,
      discordance,
    });
    const loss = plan.minimumDetectableEffect;
    const seen = loss >= 1 ? 'no loss reliably' : `a loss from ${points(loss)} 4 times in 5`;
    const held = leastGroups === null ? '' : `; must show that less than ${points(margin)} were lost`;
    const size = `up to ${plan.groups} groups, ${plan.maxRollouts} rollouts`;
    tell(`${size} (those bought before are reused); finds ${seen}${held}`);
    return plan;
  } catch (error) {
    if (!CoHarnessError.isInstance(error, 'too-few-groups')) throw error;
    tell(`left out, ${tasks.length} groups could show no loss at all`);
    return null;
  }
}

function evidenceOf(
  { against, subject, reference }: ReferenceOrder,
  { verdict, mean, low, high, groups, explanation }: DriftVerdict,
  ledger: PairLedger,
): AuditEvidence {
  return {
    against,
    subject: subject.version.version,
    reference: reference.version?.version ?? null,
    verdict,
    mean,
    low,
    high,
    groups,
    rollouts: ledger.pairs * 2,
    tokens: {
      subject: ledger.childTokens / Math.max(1, ledger.pairs),
      reference: ledger.parentTokens / Math.max(1, ledger.pairs),
    },
    explanation,
  };
}
