import { type ContentHash, contentHash } from '../base/content-hash.ts';
import { seededRandom, seedFrom } from '../base/random.ts';
import type { Diagnosis } from '../critic/attribution.ts';
import { FEWEST_TIMED_BLOCKS } from '../gate/write-decision.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { aggregate } from '../patch/aggregate.ts';
import { isBatchedOtherwise, isMereSaving } from '../patch/budget-changes.ts';
import { checkPatch, type RefusedBefore } from '../patch/check-patch.ts';
import { dryRun } from '../patch/dry-run/dry-run.ts';
import type { DryRunResult } from '../patch/dry-run/dry-run-order.ts';
import { editsHash } from '../patch/edits-hash.ts';
import { objectionOfEngine } from '../patch/engine-objection.ts';
import type { Patch } from '../patch/patch.ts';
import type { ProposalContext } from '../patch/patch-operator.ts';
import { descendsFrom, undoneBy, versionAt } from '../registry/lineage.ts';
import type { Version } from '../registry/version.ts';
import { sharedToolHosts } from '../rollout/tools/tool-hosts.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import { gateGroups, tasksPerGateGroup } from './draw-tasks.ts';
import { secondsPerRollout } from './pair-rates.ts';
import { readProposalsOnce } from './read-proposals-once.ts';
import { blockSize } from './roll-apart.ts';
import { type RunContext, secondsSpent } from './run-context.ts';
import type { DroppedCandidate } from './screening-heat.ts';
import { planOnce } from './size-plan.ts';

/** Diffs for the failures of one iteration, without those that are refused before a rollout is paid: each refusal is told with its reason. */
export async function proposeCandidates(
  context: RunContext,
  champion: Version,
  harness: Harness,
  diagnoses: readonly Diagnosis[],
  round: number,
  iteration: number,
): Promise<Patch[]> {
  const clusters = aggregate(diagnoses);
  const history = [...context.trainHistory.values()];
  const refused = await refusedUnder(context, champion, { round, iteration });
  const count = context.config.sizes.candidates;
  const proposal: ProposalContext = {
    harness,
    clusters,
    trajectories: history,
    trainTasks: context.splits.train,
    successes: history.filter(isSuccess),
    random: seededRandom(seedFrom(context.seed, 'propose', round, iteration)),
    refused: new Set(refused.keys()),
    history: await judgedProposers(context),
  };
  const written = await readProposalsOnce(context, proposal, { round, iteration, count });
  const known = new Set(written.map(({ edits }) => editsHash(edits)));
  const others = (await context.propose(proposal, { count })).filter(({ edits }) => !known.has(editsHash(edits)));
  // A reader that fails, or says nothing, costs the iteration nothing: operators fill up.
  const kept = others.slice(0, Math.max(0, count - written.length));
  // Screening keeps the earlier of two that tie: a cause comes before what nothing asks for.
  kept.sort((a, b) => Number(a.target === null) - Number(b.target === null));
  const passed: Patch[] = [];
  for (const patch of [...written, ...kept]) {
    const objection = await objectionTo(context, champion, harness, patch, refused);
    if (objection === null) passed.push(patch);
    else context.emit({ type: 'patch-refused', seed: context.seed, round, title: patch.title, reason: objection });
  }
  return passed;
}

async function objectionTo(
  context: RunContext,
  champion: Version,
  harness: Harness,
  patch: Patch,
  refused: RefusedBefore,
): Promise<string | null> {
  const checked = checkPatch(patch, harness, { splits: context.splits, refused });
  if (!checked.ok) return checked.explanation;
  const child = applyEdits(harness, patch.edits);
  // Somebody's own agent asks in its own way.
  const model = context.surroundings.runner === undefined ? await context.models.open(champion.pair.model) : null;
  const impossible = model === null ? null : objectionOfEngine(child, model);
  if (impossible !== null) return impossible;
  const objection = await objectionOfTiming(context, patch, { champion, harness, child });
  return objection ?? objectionOfDryRun(context, harness, child);
}

/**
 * A diff whose only claim is the time of whole batches is decided by blocks of them: where the gate tasks make too few, or the run has no time for them, no outcome could be
 * accepted. What time was left is kept, so that a run that is continued refuses what it refused before.
 */
async function objectionOfTiming(
  context: RunContext,
  patch: Patch,
  { champion, harness, child }: { champion: Version; harness: Harness; child: Harness },
): Promise<string | null> {
  if (!isMereSaving(patch, harness, child) || !isBatchedOtherwise(harness, child)) return null;
  const { pair } = champion;
  const size = await blockSize(context, [
    { harness, pair },
    { harness: child, pair },
  ]);
  const needed = `Time with another number of rollouts in flight is shown by ${FEWEST_TIMED_BLOCKS} blocks of ${size} rollouts or more`;
  const groups = context.config.sizes.gateGroups ?? gateGroups(context).length;
  const blocks = Math.floor((groups * tasksPerGateGroup(context)) / size);
  if (blocks < FEWEST_TIMED_BLOCKS) return `${needed}; the gate tasks make ${blocks}.`;
  const step = { phase: 'blocks', parent: contentHash(pair), child: child.hash };
  const { seconds, left } = await planOnce(context, step, () => ({
    seconds: Math.ceil(FEWEST_TIMED_BLOCKS * size * secondsPerRollout(context, harness, pair.model)),
    left: Math.max(0, Math.floor(context.config.budget.time - secondsSpent(context))),
  }));
  if (seconds <= left) return null;
  return `${needed}, which take this φ about ${Math.ceil(seconds / 60)} min; ${Math.floor(left / 60)} min of the run are left.`;
}

/**
 * Kept in the journal, so that a run that is continued refuses what it refused before, unless a sandbox was only missing. Somebody's own agent runs φ's
 * code in its own way.
 */
async function objectionOfDryRun(context: RunContext, parent: Harness, child: Harness): Promise<string | null> {
  const { journal, signal, splits, surroundings, trainHistory } = context;
  if (surroundings.runner !== undefined) return null;
  const key = contentHash({ step: 'dry-run', seed: context.seed, parent: parent.hash, child: child.hash });
  const stored = (await journal.get(key)) as DryRunResult | undefined;
  if (stored !== undefined) return stored.objection;
  const tasks = new Map(splits.train.map((task) => [task.hash, task]));
  const recorded = [...trainHistory.values()].flatMap((trajectory) => {
    const task = tasks.get(trajectory.identity.task);
    return task === undefined ? [] : [{ trajectory, task }];
  });
  const result = await dryRun({ parent, child, recorded, hosts: surroundings.toolHosts ?? sharedToolHosts(), signal });
  if (result.tried.length > 0 && result.isUnavailable !== true)
    await journal.put({ key, kind: 'dry-run', value: result });
  return result.objection;
}

/**
 * Diffs refused or rolled back before under the same weights, by the hash of their edits and of the φ they made, with the version that says why; φ that screening had to drop
 * before `now`. Under new weights they may return.
 */
async function refusedUnder(
  context: RunContext,
  champion: Version,
  now: { round: number; iteration: number },
): Promise<Map<ContentHash, string>> {
  const weights = contentHash(champion.pair.model);
  const versions = await context.registry.versions();
  const refused = new Map<ContentHash, string>();
  const add = (version: Version, why: string) => {
    if (version.patch === null) return;
    refused.set(editsHash(version.patch.edits), why);
    refused.set(version.pair.harness, why);
  };
  for (const version of versions.filter(({ seed }) => seed === context.seed)) {
    if (version.kind === 'rollback') {
      if (!judgedUnder(version, champion, versions).some(({ pair }) => contentHash(pair.model) === weights)) continue;
      const why = `v${version.version} rolled it back (${version.reason})`;
      for (const undone of undoneBy(version, versions)) add(undone, why);
    } else if (!version.accepted && contentHash(version.pair.model) === weights) {
      add(version, `v${version.version} (${version.verdict}: ${version.reason})`);
    }
  }
  for (const { value } of await context.journal.entries('dropped')) {
    const dropped = value as DroppedCandidate;
    // A process that goes on from the journal finds rows there that are still to come.
    const isEarlier = dropped.round < now.round || (dropped.round === now.round && dropped.iteration < now.iteration);
    if (dropped.seed === context.seed && isEarlier && dropped.weights === weights)
      refused.set(dropped.harness, 'screening, which got no scores of it');
  }
  return refused;
}

/**
 * Versions whose weights a rollback spoke about. By hand: those left and those returned to; none before the champion descends from it, so that a process that goes on
 * from the journal refuses what was refused at this step.
 */
function judgedUnder(rollback: Version, champion: Version, versions: readonly Version[]): Version[] {
  if (rollback.rolledBack !== undefined)
    return [versionAt(versions, rollback.rolledBack.evidence.subject) ?? []].flat();
  if (!descendsFrom(champion, rollback, versions)) return [];
  return [rollback, versionAt(versions, rollback.parent) ?? []].flat();
}

/** Who proposed what was judged so far, oldest first. */
async function judgedProposers(context: RunContext): Promise<{ proposer: string; accepted: boolean }[]> {
  const versions = (await context.registry.versions()).filter((version) => version.seed === context.seed);
  return versions.flatMap(({ patch, accepted }) => (patch === null ? [] : [{ proposer: patch.proposer, accepted }]));
}
