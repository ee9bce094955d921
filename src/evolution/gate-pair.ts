import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import type { GateDecision } from '../gate/decision.ts';
import { type ChangeKind, judge } from '../gate/judge.ts';
import { nullBand } from '../gate/null-band.ts';
import { type GatePlan, planGate } from '../gate/plan-gate.ts';
import { tradeOffRepeats } from '../gate/trade-off-repeats.ts';
import { FEWEST_TIMED_BLOCKS } from '../gate/write-decision.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { isBatchedOtherwise, isMereSaving, relaxationsOf } from '../patch/budget-changes.ts';
import { isDeletion } from '../patch/is-deletion.ts';
import type { Patch } from '../patch/patch.ts';
import { patchSeen } from '../patch/patch-seen.ts';
import { descendsFrom, undoneBy } from '../registry/lineage.ts';
import { pairHash, type TrainingRecord, type Version } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { objectionOfAudit } from './audit-references.ts';
import { gateGroups } from './draw-tasks.ts';
import { alphaOfNextDecision } from './error-shares.ts';
import { expectedVariation } from './expected-variation.ts';
import { secondsPerRollout } from './pair-rates.ts';
import { blockSize, rollApart } from './roll-apart.ts';
import { isGreedy } from './roll-out.ts';
import { type Arm, rollPairs, type SeenRollouts } from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';
import { sideEffectsOf } from './side-effects.ts';
import { gateGroupsFor, planOnce } from './size-plan.ts';

interface Comparison {
  round: number;
  champion: Version;
  /** Time that both arms may take; the gate may end sooner. */
  seconds: number;
  parent: Arm;
  child: Arm;
  patch: Patch | null;
  kind: ChangeKind;
  /** Why "not worse" is not enough for a diff that claims no more; null where it is, or where more is claimed. */
  objection: string | null;
  /** Candidates that this one was chosen from, itself included. */
  candidates: number;
}

/** Judges one diff of φ under fixed weights and records the decision, whatever it is. */
export async function gatePatch(
  context: RunContext,
  order: { champion: Version; harness: Harness; patch: Patch; round: number; candidates: number; seconds: number },
): Promise<Version> {
  const { champion, harness, patch, round, candidates } = order;
  const childHarness = applyEdits(harness, patch.edits);
  const child = { harness: childHarness, pair: { harness: childHarness.hash, model: champion.pair.model } };
  const parent = { harness, pair: champion.pair };
  const arms = { champion, parent, child };
  const claimed = await claimOf(context, arms, patch);
  const decision = await decide(context, { ...arms, ...claimed, round, seconds: order.seconds, patch, candidates });
  const observed = decision.targeted?.mean ?? decision.whole.mean;
  return record(context, champion, child, decision, {
    round,
    kind: 'harness',
    patch,
    prediction: patch.predictedFix === null ? null : { fix: patch.predictedFix, observed },
    sideEffects: sideEffectsOf(patch, decision),
    training: null,
  });
}

/** Judges new weights under a fixed φ through the same gate. */
export async function gateWeights(
  context: RunContext,
  order: {
    champion: Version;
    harness: Harness;
    adapter: ContentHash;
    record: TrainingRecord;
    round: number;
    seconds: number;
  },
): Promise<Version> {
  const { champion, harness, adapter, round } = order;
  const pair = { harness: harness.hash, model: { base: champion.pair.model.base, adapter } };
  const comparison = {
    round,
    champion,
    seconds: order.seconds,
    parent: { harness, pair: champion.pair },
    child: { harness, pair },
    patch: null,
    kind: NO_CLAIM,
    objection: null,
    candidates: 1,
  };
  if (await wasRolledBack(context, champion, adapter)) {
    const text = `Round ${round}: training gave the very weights that were rolled back before: they are not taken again.`;
    context.emit({ type: 'notice', seed: context.seed, round, text });
    return champion;
  }
  const decision = await decide(context, comparison);
  const version = await record(context, champion, comparison.child, decision, {
    round,
    kind: 'weights',
    patch: null,
    prediction: null,
    training: order.record,
  });
  return version.accepted ? version : champion;
}

/** Must improve, and spends no more. */
const NO_CLAIM: ChangeKind = { relaxes: [], deletion: false, speed: false };

/** A look costs at least one full batch of the engine. */
const MOST_LOOKS = 10;

async function decide(context: RunContext, comparison: Comparison): Promise<GateDecision> {
  const { champion, parent, child, patch, kind } = comparison;
  const key = contentHash({
    step: 'gate',
    seed: context.seed,
    parent: parent.pair,
    child: child.pair,
    patch: patch?.id ?? null,
    gate: context.config.gate,
    ...(await returnOf(context, champion)),
  });
  return once(context.journal, 'gate', key, async () => {
    const { groups, rollouts } = await affordableGroups(context, comparison, key);
    const { rule, margin } = context.config.gate;
    const alpha = await alphaOfNextDecision(context, patch === null ? 'weights' : 'harness');
    const plan = await announcedPlan(context, comparison, { groups, rollouts, alpha });
    const seen: SeenRollouts = { parent: [], child: [], blocks: 0 };
    const roll = isBatchedOtherwise(parent.harness, child.harness) ? rollApart : rollPairs;
    return judge({
      plan,
      rule,
      alpha,
      margin,
      kind,
      drawBatch: (from, to) => {
        // A new champion's own winning rollouts must not be what its children are measured by: whoever won was lucky in them.
        const seedStream = `gate v${champion.version}`;
        const order = { ...comparison, step: 'gate', seedStream, repeats: plan.repeats };
        return roll(context, order, groups.slice(from, to).flat(), seen);
      },
      seen: () =>
        patch === null
          ? { alive: true, why: 'the adapter was proven active when it was loaded' }
          : patchSeen(patch, seen.parent, seen.child, seen.inFlight),
      signal: context.signal,
    });
  });
}

/**
 * Part of a decision's key where a rollback made a pair the champion again: what was decided on this pair before belongs to earlier entries, and a new one needs its own
 * evidence.
 */
async function returnOf({ registry, seed }: RunContext, champion: Version): Promise<{ since?: number }> {
  const first = (await registry.versions()).find(
    (version) => version.accepted && version.seed === seed && pairHash(version.pair) === pairHash(champion.pair),
  );
  return first === undefined || first.version === champion.version ? {} : { since: champion.version };
}

/** The first gate groups in their order, as many as the time allows both arms, and the rollouts of both that it allows in all. */
async function affordableGroups(context: RunContext, comparison: Comparison, key: ContentHash) {
  const { parent, child, seconds } = comparison;
  const perPair = [parent, child].reduce(
    (sum, arm) => sum + secondsPerRollout(context, arm.harness, arm.pair.model),
    0,
  );
  const isFixed = context.config.sizes.gateGroups !== null;
  const least = await leastTasks(context, comparison);
  const planned = await planOnce(context, { phase: 'gate', key }, () => ({
    groups: gateGroupsFor(context, seconds, perPair, least),
    rollouts: isFixed ? 0 : 2 * Math.floor(seconds / perPair),
  }));
  const groups = gateGroups(context).slice(0, planned.groups);
  // Plans from before repeats were traded off hold no rollouts.
  return { groups, rollouts: Math.max(planned.rollouts ?? 0, 2 * groups.flat().length) };
}

/** Blocks planned, as a multiple of those that must be there: not every one shows half the time. */
const BLOCKS_PLANNED = 1.3;

/** Tasks planned at least where only the time of whole batches speaks for a diff: with the blocks of a short phase it could not win, and would be paid for in vain. */
async function leastTasks(context: RunContext, comparison: Comparison): Promise<number> {
  const { parent, child, kind } = comparison;
  if (!kind.speed || !isBatchedOtherwise(parent.harness, child.harness)) return 0;
  return Math.ceil(BLOCKS_PLANNED * FEWEST_TIMED_BLOCKS) * (await blockSize(context, [parent, child]));
}

/** What the decision will see and may cost, told before a rollout is paid. */
async function announcedPlan(
  context: RunContext,
  { parent, child, patch, round, candidates, objection }: Comparison,
  { groups, rollouts, alpha }: { groups: readonly Task[][]; rollouts: number; alpha: number },
): Promise<GatePlan> {
  const { rule, margin } = context.config.gate;
  const tasks = groups.flat().length;
  // A smaller batch than a block would never have as many in flight as the diff asks for.
  const looks = isBatchedOtherwise(parent.harness, child.harness)
    ? Math.floor(tasks / (await blockSize(context, [parent, child])))
    : Math.min(MOST_LOOKS, Math.floor((2 * tasks) / (await context.models.open(child.pair.model)).concurrency));
  const tasksPerGroup = tasks / groups.length;
  const { discordance, pairs } = expectedVariation(context, parent, child);
  const request = { rule, groups: groups.length, tasksPerGroup, alpha, margin, looks: Math.max(2, looks), discordance };
  const isRepeatable = !isGreedy(parent.harness) || !isGreedy(child.harness);
  const plan = isRepeatable
    ? tradeOffRepeats({ ...request, budgetRollouts: rollouts })
    : planGate({ ...request, repeats: 1 });
  const basis = pairs > 0 ? `${pairs} shared train rollouts` : 'the pass rate on train';
  const lines = [
    `gate of ${patch?.title ?? 'new weights'}: ${plan.note}`,
    `  scores expected to differ on ${(discordance * 100).toFixed(0)}% of the pairs (from ${basis})`,
    ...(candidates > 1 ? [`  ${nullBand(plan.groups, plan.groupVariance, candidates).line}`] : []),
    ...(objection === null ? [] : [`  it must improve: ${objection}`]),
  ];
  const phase = patch === null ? 'weights' : 'harness';
  context.emit({ type: 'plan-made', seed: context.seed, round, phase, lines });
  return plan;
}

/**
 * What is claimed and what it costs, read from both harnesses. A diff with no failure to cure that only saves need not improve, unless its audit could not show
 * afterwards that it adds up with others to less than the margin.
 */
async function claimOf(
  context: RunContext,
  { champion, parent, child }: { champion: Version; parent: Arm; child: Arm },
  patch: Patch,
): Promise<{ kind: ChangeKind; objection: string | null }> {
  const relaxes = [...new Set([...patch.relaxes, ...relaxationsOf(parent.harness, child.harness)])];
  const deletion = isDeletion(patch);
  const speed = !deletion && isMereSaving(patch, parent.harness, child.harness);
  const isModest = relaxes.length === 0 && (deletion || speed);
  const objection = isModest ? await objectionOfAudit(context, champion, child) : null;
  return { kind: objection === null ? { relaxes, deletion, speed } : { ...NO_CLAIM, relaxes }, objection };
}

/** Whether an audit, or a person, took these weights back before. */
async function wasRolledBack(context: RunContext, champion: Version, adapter: ContentHash): Promise<boolean> {
  const versions = await context.registry.versions();
  return versions
    .filter(({ seed }) => seed === context.seed)
    .filter((version) => version.rolledBack !== undefined || descendsFrom(champion, version, versions))
    .flatMap((version) => undoneBy(version, versions))
    .some(({ kind, pair }) => kind === 'weights' && pair.model.adapter === adapter);
}

async function record(
  context: RunContext,
  champion: Version,
  child: Arm,
  decision: GateDecision,
  entry: Pick<Version, 'round' | 'kind' | 'patch' | 'prediction' | 'sideEffects' | 'training'>,
): Promise<Version> {
  const stepKey = contentHash({
    seed: context.seed,
    parent: champion.version,
    pair: child.pair,
    patch: entry.patch?.id ?? null,
  });
  const version = await context.registry.record(
    stepKey,
    {
      ...entry,
      seed: context.seed,
      parent: champion.version,
      pair: child.pair,
      verdict: decision.verdict,
      reason: decision.reason,
      explanation: decision.explanation,
      decision,
    },
    child.harness,
  );
  context.emit({ type: 'version-recorded', seed: context.seed, round: entry.round, version });
  return version;
}
