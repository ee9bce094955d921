import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { Random } from '../base/random.ts';
import type { ComponentKind, Harness } from '../harness/harness.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import type { Cluster } from './aggregate.ts';
import { sentCharacters } from './budget-changes.ts';
import { collectDemonstrations } from './demonstrations.ts';
import { editedHarness } from './edited-harness.ts';
import { editsHash } from './edits-hash.ts';
import type { Patch } from './patch.ts';
import { patchId } from './patch-id.ts';
import type { PatchDraft, PatchOperator, ProposalContext } from './patch-operator.ts';
import { PATCH_OPERATORS } from './patch-operators.ts';
import { scopeOf } from './patch-scope.ts';

/** Weight of a proposal that no cluster asks for: explorations and simplifications wait behind a cause that recurs. */
const EXPLORATION_WEIGHT = 0.15;
/** One candidate in so many is drawn among those that no cluster asks for: savings and votes would else wait until every cause is cured, and behind examples even then. */
const CANDIDATES_PER_UNASKED = 8;
/** Each further candidate of the same operator, or of the same component kind, counts that much less within one iteration. */
const OPERATOR_DECAY = 0.7;
const COMPONENT_DECAY = 0.9;
/** Each diff of an operator that was refused earlier in the run. */
const REFUSAL_DECAY = 0.8;

interface Candidate {
  operator: PatchOperator;
  draft: PatchDraft;
  motive: Motive;
  weight: number;
}

/**
 * At most `count` patches: ⌊count / 8⌋ drawn by their weight among those that no cluster asks for, then the best of all others, best first. The weight is cluster weight × the
 * operator's reach × its own promise, with less for what this iteration or the run has tried already, so that components that starve get their turn. Diffs that are
 * equivalent to one another or to a refused one are dropped. Deterministic given the context.
 */
export function proposePatches(
  context: ProposalContext,
  { count, operators = PATCH_OPERATORS }: { count: number; operators?: readonly PatchOperator[] },
): Patch[] {
  const candidates = allCandidates(context, operators);
  const chosen: Candidate[] = [];
  const value = ({ operator, draft, weight }: Candidate) =>
    weight *
    OPERATOR_DECAY ** chosen.filter((other) => other.operator === operator).length *
    COMPONENT_DECAY ** chosen.filter((other) => other.draft.component === draft.component).length;
  const take = (candidate: Candidate) => chosen.push(...candidates.splice(candidates.indexOf(candidate), 1));
  const takeBest = (most: number) => {
    while (chosen.length < most && candidates.length > 0)
      take(candidates.reduce((top, candidate) => (value(candidate) > value(top) ? candidate : top)));
  };
  const unasked = Math.floor(count / CANDIDATES_PER_UNASKED);
  while (chosen.length < unasked && candidates.some(isUnasked))
    take(drawn(candidates.filter(isUnasked), value, context.random));
  takeBest(count);
  const solved = solvedOnceActing(context);
  return chosen.map((candidate) => patchOf(context.harness, candidate, solved));
}

function isUnasked({ motive }: Candidate): boolean {
  return motive.cluster === null;
}

/** One of them, each as likely as its value is large (Efraimidis & Spirakis 2006). */
function drawn(candidates: readonly Candidate[], value: (candidate: Candidate) => number, random: Random): Candidate {
  const keyed = candidates.map((candidate) => ({ candidate, key: -Math.log(random.next()) / value(candidate) }));
  return keyed.reduce((first, one) => (one.key < first.key ? one : first)).candidate;
}

function allCandidates(context: ProposalContext, operators: readonly PatchOperator[]): Candidate[] {
  const demonstrations = collectDemonstrations(context.harness, context.trainTasks, context.successes);
  const seen = new Set<ContentHash>();
  return operators.flatMap((operator) => {
    const motive = motiveOf(operator, context);
    if (motive.weight === 0) return [];
    const patience =
      REFUSAL_DECAY **
      (context.history ?? []).filter((past) => past.proposer === operator.name && !past.accepted).length;
    return operator.propose({ ...context, demonstrations }).flatMap((draft) => {
      const hash = editsHash(draft.edits);
      if (draft.edits.length === 0 || seen.has(hash) || isRefused(context, draft)) return [];
      seen.add(hash);
      return { operator, draft, motive, weight: motive.weight * draft.promise * patience };
    });
  });
}

interface Motive {
  cluster: Cluster | null;
  reach: number;
  weight: number;
}

/** The heaviest reason for an operator: its best cluster, or exploration when no cluster asks for it. */
function motiveOf(operator: PatchOperator, { clusters, harness }: ProposalContext): Motive {
  const motives: Motive[] = clusters
    .filter((cluster) => cluster.label !== 'agent_error')
    .map((cluster) => {
      const reach = operator.reach(cluster, harness);
      return { cluster, reach, weight: cluster.weight * reach };
    });
  const reach = operator.reach(null, harness);
  motives.push({ cluster: null, reach, weight: EXPLORATION_WEIGHT * reach });
  return motives.reduce((top, motive) => (motive.weight > top.weight ? motive : top));
}

function patchOf(harness: Harness, { operator, draft, motive: { cluster, reach } }: Candidate, solved: number): Patch {
  return {
    id: patchId({ base: harness.hash, edits: draft.edits }),
    base: harness.hash,
    title: draft.title,
    proposer: operator.name,
    target: cluster === null ? null : { label: cluster.label, mechanism: cluster.mechanism },
    edits: draft.edits,
    scope: scopeOf(draft.edits),
    probe: draft.probe,
    relaxes: draft.relaxes ?? [],
    usesTasks: draft.usesTasks ?? [],
    predictedFix: cluster === null ? null : reach * draft.promise * solved,
    predictedRegression: REGRESSION_PRIOR[draft.component],
    predictedCost: costOf(harness, draft),
  };
}

/**
 * Share of what goes well that a diff of a component is expected to break: guesses that put what every rollout reads before what few use. Their score stands in
 * the report.
 */
const REGRESSION_PRIOR: Readonly<Record<ComponentKind, number>> = {
  settings: 0.05,
  prompt: 0.05,
  example: 0.05,
  middleware: 0.03,
  memory: 0.03,
  tool: 0.02,
  skill: 0.02,
  retry: 0.01,
};
/** What a higher limit of the loop lets be spent, where it is used at all. */
const RELAXATION_COST = 0.1;

/** Relative change of a rollout's tokens: by the texts that are sent with every request, and by limits that are raised. */
function costOf(harness: Harness, { edits, relaxes = [] }: PatchDraft): number | null {
  const before = sentCharacters(harness);
  const child = editedHarness(harness, edits);
  if (child === null) return null;
  return (before === 0 ? 0 : sentCharacters(child) / before - 1) + RELAXATION_COST * relaxes.length;
}

const PRIOR_SOLVED = 0.3;
const PRIOR_ROLLOUTS = 10;

/**
 * Share of rollouts that end well once a call has gone through, shrunk towards 0.3: curing a protocol failure leaves the model's own errors, so no
 * diff can be expected to fix more than this.
 */
function solvedOnceActing({ trajectories }: ProposalContext): number {
  const acting = trajectories.filter(
    ({ events, outcome }) => outcome.kind === 'scored' && events.some(({ type }) => type === 'tool-returned'),
  );
  return (acting.filter(isSuccess).length + PRIOR_SOLVED * PRIOR_ROLLOUTS) / (acting.length + PRIOR_ROLLOUTS);
}

function isRefused({ refused }: ProposalContext, { edits }: PatchDraft): boolean {
  return refused.has(editsHash(edits)) || refused.has(contentHash(edits));
}
