import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { once } from '../base/journal.ts';
import { firstCause } from '../critic/evidence-critic.ts';
import type { GateDecision } from '../gate/decision.ts';
import { judge, type PairedOutcome } from '../gate/judge.ts';
import { planGate } from '../gate/plan-gate.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import type { Patch } from '../patch/patch.ts';
import { patchSeen } from '../patch/patch-seen.ts';
import type { Pair, TrainingRecord, Version } from '../registry/version.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { gateGroups } from './draw-tasks.ts';
import { alphaOfNextDecision } from './error-shares.ts';
import { rollOut, secondsPerRollout } from './roll-out.ts';
import type { RunContext } from './run-context.ts';
import { gateGroupsFor, planOnce } from './size-plan.ts';

interface Arm {
  harness: Harness;
  pair: Pair;
}

interface Comparison {
  round: number;
  /** Time that both arms may take; the gate may end sooner. */
  seconds: number;
  parent: Arm;
  child: Arm;
  patch: Patch | null;
}

/** Judges one diff of φ under fixed weights and records the decision, whatever it is. */
export async function gatePatch(
  context: RunContext,
  order: { champion: Version; harness: Harness; patch: Patch; round: number; iteration: number; seconds: number },
): Promise<Version> {
  const { champion, harness, patch, round } = order;
  const childHarness = applyEdits(harness, patch.edits);
  const child = { harness: childHarness, pair: { harness: childHarness.hash, model: champion.pair.model } };
  const comparison = { round, seconds: order.seconds, parent: { harness, pair: champion.pair }, child, patch };
  const decision = await decide(context, comparison);
  const observed = decision.targeted?.mean ?? decision.whole.mean;
  return record(context, champion, child, decision, {
    round,
    kind: 'harness',
    patch,
    prediction: patch.predictedFix === null ? null : { fix: patch.predictedFix, observed },
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
    seconds: order.seconds,
    parent: { harness, pair: champion.pair },
    child: { harness, pair },
    patch: null,
  };
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

/**
 * Groups a gate gets where there are as many, whatever the time: below that an improvement of 10 points over a parent near the floor is not shown
 * at the error of one decision among several. New weights improve in smaller steps than a first diff and have cost a training, so they
 * get more. Most gates stop long before.
 */
const FEWEST_GROUPS = { harness: 120, weights: 240 };

/** A look costs at least one full batch of the engine. */
const MOST_LOOKS = 10;

async function decide(context: RunContext, comparison: Comparison): Promise<GateDecision> {
  const { parent, child, round, patch } = comparison;
  const key = contentHash({
    step: 'gate',
    seed: context.seed,
    parent: parent.pair,
    child: child.pair,
    patch: patch?.id ?? null,
    gate: context.config.gate,
  });
  return once(context.journal, 'gate', key, async () => {
    const groups = await affordableGroups(context, comparison, key);
    const { rule, margin } = context.config.gate;
    const alpha = await alphaOfNextDecision(context, patch === null ? 'weights' : 'harness');
    const tasksPerGroup = groups.flat().length / groups.length;
    const { concurrency } = await context.models.open(child.pair.model);
    const looks = Math.max(2, Math.min(MOST_LOOKS, Math.floor((2 * groups.flat().length) / concurrency)));
    const plan = planGate({ rule, groups: groups.length, tasksPerGroup, repeats: 1, alpha, margin, looks });
    const line =
      `gate of ${patch?.title ?? 'new weights'}: alpha ${alpha.toPrecision(2)}, smallest effect seen with power .8: ` +
      `${(plan.minimumDetectableEffect * 100).toFixed(1)} points on ${groups.length} groups`;
    context.emit({
      type: 'plan-made',
      seed: context.seed,
      round,
      phase: patch === null ? 'weights' : 'harness',
      lines: [line],
    });
    const seen: { parent: Trajectory[]; child: Trajectory[] } = { parent: [], child: [] };
    return judge({
      plan,
      rule,
      alpha,
      margin,
      kind: {
        relaxes: patch?.relaxes ?? [],
        deletion: patch?.edits.every((edit) => edit.value === undefined) ?? false,
        speed: false,
      },
      drawBatch: (from, to) => rollPairs(context, comparison, groups.slice(from, to).flat(), seen),
      seen: () =>
        patch === null
          ? { alive: true, why: 'the adapter was proven active when it was loaded' }
          : patchSeen(patch, seen.parent, seen.child),
      signal: context.signal,
    });
  });
}

/** The first gate groups in their order, as many as the time allows both arms. */
async function affordableGroups(context: RunContext, { parent, child, seconds, patch }: Comparison, key: ContentHash) {
  const perPair = [parent, child].reduce(
    (sum, arm) => sum + secondsPerRollout(context, arm.harness, arm.pair.model),
    0,
  );
  const { groups } = await planOnce(context, { phase: 'gate', key }, () => ({
    groups: gateGroupsFor(context, seconds, perPair, patch === null ? FEWEST_GROUPS.weights : FEWEST_GROUPS.harness),
  }));
  return gateGroups(context).slice(0, groups);
}

/** Both arms on the same tasks and seeds, in one batch. */
async function rollPairs(
  context: RunContext,
  { parent, child, round, patch }: Comparison,
  tasks: ReturnType<typeof gateGroups>[number],
  seen: { parent: Trajectory[]; child: Trajectory[] },
): Promise<PairedOutcome[]> {
  const arms = [parent, child].map(({ harness, pair }) => ({
    harness,
    model: pair.model,
    tasks,
    split: 'gate' as const,
    repeats: 1,
    sampling: null,
    seedStream: `gate ${round}`,
  }));
  const [before = [], after = []] = await rollOut(context, { round, step: 'gate' }, arms);
  seen.parent.push(...before);
  seen.child.push(...after);
  return before.map((parentRollout, index) => {
    const childRollout = after[index] as Trajectory;
    return {
      task: parentRollout.identity.task,
      group: parentRollout.group,
      repeat: parentRollout.identity.repeat,
      parent: scored(parentRollout),
      child: scored(childRollout),
      parentTokens: parentRollout.usage.promptTokens + parentRollout.usage.completionTokens,
      childTokens: childRollout.usage.promptTokens + childRollout.usage.completionTokens,
      targeted: isTargeted(patch, parentRollout, parent.harness) || isTargeted(patch, childRollout, child.harness),
    };
  });
}

/**
 * The gate labels its own rollouts with the same rules; what it sees of gate tasks never leaves it. Asked of both arms: a stratum picked by the
 * parent's failures alone recovers by itself (regression to the mean).
 */
function isTargeted(patch: Patch | null, rollout: Trajectory, harness: Harness): boolean {
  const target = patch?.target;
  if (target === null || target === undefined) return false;
  const cause = firstCause(rollout, harness);
  return cause !== null && cause.mechanism === target.mechanism && cause.label === target.label;
}

function scored(trajectory: Trajectory): number | null {
  return trajectory.outcome.kind === 'scored' ? trajectory.outcome.score : null;
}

async function record(
  context: RunContext,
  champion: Version,
  child: Arm,
  decision: GateDecision,
  entry: Pick<Version, 'round' | 'kind' | 'patch' | 'prediction' | 'training'>,
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
