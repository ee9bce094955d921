import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import type { ModelIdentity } from '../model/model-backend.ts';
import { isSuccess } from '../trajectory/is-success.ts';
import { type ModelCall, modelCalls } from '../trajectory/model-calls.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { completionForm } from './completion-form.ts';

/** One model call: what was evaluated, then what was sampled. */
export interface TrainingRow {
  task: ContentHash;
  /** Hash of the rollout's identity, and the event of the call in it. */
  rollout: ContentHash;
  event: string;
  inputIds: readonly number[];
  /** Half-open, ascending spans of `inputIds` that are targets: the whole completion, own end token included. */
  supervised: readonly (readonly [number, number])[];
}

/** Why a whole rollout stays out of D_t, in the order in which it is asked. */
const ROLLOUT_DROP_REASONS = [
  'other-split',
  'other-harness',
  'other-model',
  'other-verifier',
  'unscored',
  'not-solved',
  'shown-as-example',
  'no-call-left',
  'duplicate',
  'over-task-limit',
  'over-form-share',
  'over-row-limit',
] as const;

/** Why a call of a selected rollout is context and not target. */
const CALL_DROP_REASONS = [
  'outvoted',
  'summary-turn',
  'cut-by-limit',
  'call-unreadable',
  'tool-refused',
  'tool-failed',
  'set-aside-by-middleware',
  'no-exact-tokens',
] as const;

type DropCounts<Reason extends string> = Readonly<Record<Reason, number>>;

export interface TrainingSelection {
  harness: ContentHash;
  model: ModelIdentity;
  verifier: ContentHash;
  /** Token ids are those of the engine; other rows are never made. */
  tokenIds: 'exact';
  rows: readonly TrainingRow[];
  rollouts: { seen: number; selected: number; dropped: DropCounts<(typeof ROLLOUT_DROP_REASONS)[number]> };
  calls: { selected: number; dropped: DropCounts<(typeof CALL_DROP_REASONS)[number]> };
}

export interface SelectionRule {
  /** φ*_t and θ_t: what the pair that is trained was rolled out with. */
  harness: Harness;
  model: ModelIdentity;
  verifier: ContentHash;
  /** Most rollouts per task, ≥ 1: otherwise the easy tasks are all it learns. Default 2. */
  maxPerTask?: number;
  /**
   * Most rows; forms take turns, and within a form every task keeps its first rollout before any gets a second, hard tasks (solved by the smallest share of this
   * pair's rollouts) first. Default: no limit.
   */
  maxRows?: number;
}

interface Candidate {
  task: ContentHash;
  rollout: ContentHash;
  form: string;
  /** Share of this pair's scored rollouts of the task that solved it. */
  solved: number;
  rows: TrainingRow[];
}

/**
 * D_t: the verified successes of (θ_t, φ*_t) on `train` tasks, one row per model call (Co-Harness, model alignment loop, step 1).
 *
 * Only rollouts of exactly the expected pair and verifier enter: other harness versions' trajectories teach habits that this harness
 * does not reward. Order of `trajectories` does not matter; the result is sorted by task and repeat. Never throws for what a
 * trajectory holds: every drop is counted.
 *
 * Verified samples lean to what the model does anyway, and such rows move nothing: where rows are limited, hard tasks come first (difficulty-aware rejection
 * tuning, Tong et al. 2024, arXiv 2407.13690).
 */
export function selectTrainingRows(trajectories: readonly Trajectory[], rule: SelectionRule): TrainingSelection {
  const rollouts = counts(ROLLOUT_DROP_REASONS);
  const calls = counts(CALL_DROP_REASONS);
  const shown = new Set(rule.harness.examples.flatMap((example) => example.fromTasks));

  const solved = solvedShares(trajectories.filter((trajectory) => whyForeign(trajectory, rule) === null));

  const candidates: Candidate[] = [];
  for (const trajectory of inStableOrder(trajectories)) {
    const reason = whyDropped(trajectory, rule, shown);
    if (reason !== null) {
      rollouts[reason]++;
      continue;
    }
    const rows = rowsOf(trajectory, calls);
    if (rows.length === 0) rollouts['no-call-left']++;
    else {
      const form = completionForm(modelCalls(trajectory).filter(({ id }) => rows.some(({ event }) => event === id)));
      const { task } = trajectory.identity;
      candidates.push({ task, rollout: contentHash(trajectory.identity), form, solved: solved.get(task) ?? 1, rows });
    }
  }

  const selected = withinLimits(distinct(candidates, rollouts), rule, rollouts);
  const rows = selected.flatMap((candidate) => candidate.rows);
  return {
    harness: rule.harness.hash,
    model: rule.model,
    verifier: rule.verifier,
    tokenIds: 'exact',
    rows,
    rollouts: { seen: trajectories.length, selected: selected.length, dropped: rollouts },
    calls: { selected: rows.length, dropped: calls },
  };
}

function counts<Reason extends string>(reasons: readonly Reason[]): Record<Reason, number> {
  return Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;
}

function inStableOrder(trajectories: readonly Trajectory[]): Trajectory[] {
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...trajectories].sort(
    ({ identity: a }, { identity: b }) =>
      byText(a.task, b.task) || a.repeat - b.repeat || a.seed - b.seed || byText(contentHash(a), contentHash(b)),
  );
}

/** By task, the share of scored rollouts that solved it. */
function solvedShares(trajectories: readonly Trajectory[]): Map<ContentHash, number> {
  const scored = trajectories.filter(({ outcome }) => outcome.kind === 'scored');
  const byTask = Map.groupBy(scored, ({ identity }) => identity.task);
  return new Map([...byTask].map(([task, own]) => [task, own.filter(isSuccess).length / own.length]));
}

/** Why a rollout is none of the pair, verifier and split that rows are taken from; null for one that is. */
function whyForeign({ identity }: Trajectory, rule: SelectionRule): (typeof ROLLOUT_DROP_REASONS)[number] | null {
  if (identity.split !== 'train') return 'other-split';
  if (identity.harness !== rule.harness.hash) return 'other-harness';
  if (identity.model.base !== rule.model.base || identity.model.adapter !== rule.model.adapter) return 'other-model';
  return identity.verifier === rule.verifier ? null : 'other-verifier';
}

function whyDropped(
  trajectory: Trajectory,
  rule: SelectionRule,
  shown: ReadonlySet<string>,
): (typeof ROLLOUT_DROP_REASONS)[number] | null {
  const { identity, outcome } = trajectory;
  const foreign = whyForeign(trajectory, rule);
  if (foreign !== null) return foreign;
  if (outcome.kind === 'unscored') return 'unscored';
  if (!isSuccess(trajectory)) return 'not-solved';
  // Its solution stands in every prompt: the row would teach copying.
  if (shown.has(identity.task)) return 'shown-as-example';
  return null;
}

function rowsOf(trajectory: Trajectory, dropped: Record<(typeof CALL_DROP_REASONS)[number], number>): TrainingRow[] {
  const rollout = contentHash(trajectory.identity);
  return modelCalls(trajectory).flatMap((call) => {
    const reason = whyContextOnly(call, trajectory);
    if (reason !== null) {
      dropped[reason]++;
      return [];
    }
    const prompt = call.promptTokenIds ?? [];
    const inputIds = [...prompt, ...(call.completionTokenIds ?? [])];
    return [
      {
        task: trajectory.identity.task,
        rollout,
        event: call.id,
        inputIds,
        supervised: [[prompt.length, inputIds.length]],
      },
    ];
  });
}

function whyContextOnly(call: ModelCall, trajectory: Trajectory): (typeof CALL_DROP_REASONS)[number] | null {
  const ofVote = trajectory.events.filter((event) => event.vote === call.vote);
  // A vote that lost, or ended without an answer, was no part of the success.
  const answered = ofVote.find((event) => event.type === 'answered');
  if (call.vote !== undefined && answered?.answer !== trajectory.answer) return 'outvoted';
  // A summary serves the memory policy; it is no turn of the task.
  if (call.turnKind === 'summary') return 'summary-turn';
  if (call.finishReason === 'length' || call.finishReason === 'window') return 'cut-by-limit';
  for (const event of ofVote) {
    if (!('turn' in event) || event.turn !== call.turn) continue;
    if (event.type === 'call-unreadable' || event.type === 'tool-refused' || event.type === 'tool-failed') {
      return event.type;
    }
    // The course went on with something else than what the model wrote.
    if (event.type === 'middleware-acted' && event.setsAside) return 'set-aside-by-middleware';
  }
  const hasTokens = (call.promptTokenIds?.length ?? 0) > 0 && (call.completionTokenIds?.length ?? 0) > 0;
  return hasTokens ? null : 'no-exact-tokens';
}

/** Rollouts of a task that sampled the same tokens are one. */
function distinct(candidates: readonly Candidate[], dropped: Record<'duplicate', number>): Candidate[] {
  const seen = new Set<ContentHash>();
  return candidates.filter(({ task, rows }) => {
    const completions = rows.map(({ inputIds, supervised }) =>
      supervised.map(([start, end]) => inputIds.slice(start, end)),
    );
    const key = contentHash({ task, completions });
    if (seen.has(key)) dropped.duplicate++;
    else if (seen.add(key)) return true;
    return false;
  });
}

function withinLimits(
  candidates: readonly Candidate[],
  { maxPerTask = 2, maxRows = Number.POSITIVE_INFINITY }: SelectionRule,
  dropped: Record<'over-task-limit' | 'over-form-share' | 'over-row-limit', number>,
): Candidate[] {
  const ofTask = numbered(candidates, ({ task }) => task).sort(
    (a, b) => a.turn - b.turn || a.candidate.solved - b.candidate.solved,
  );
  const allowed = ofTask.filter(({ turn }) => turn < maxPerTask).map(({ candidate }) => candidate);
  dropped['over-task-limit'] += candidates.length - allowed.length;

  const ofForm = numbered(allowed, ({ form }) => form).sort((a, b) => a.turn - b.turn);
  const most = mostOfOneForm(allowed);
  const kept = new Set<Candidate>();
  let rows = 0;
  for (const { candidate, turn } of ofForm) {
    if (turn >= most) dropped['over-form-share']++;
    else if (rows + candidate.rows.length > maxRows) dropped['over-row-limit']++;
    else {
      kept.add(candidate);
      rows += candidate.rows.length;
    }
  }
  return candidates.filter((candidate) => kept.has(candidate));
}

/** Each candidate with how many of its key came before it. */
function numbered(candidates: readonly Candidate[], keyOf: (candidate: Candidate) => string) {
  const counted = new Map<string, number>();
  return candidates.map((candidate) => {
    const turn = counted.get(keyOf(candidate)) ?? 0;
    counted.set(keyOf(candidate), turn + 1);
    return { candidate, turn };
  });
}

/**
 * Half of all that stay, unless that would drop more than half of what there is. Successes are of the forms that the model finds easy; trained on those
 * alone it takes them for everything (docs/results.md: 26 additions of 38 rollouts taught nothing, 7 of 16 did).
 */
function mostOfOneForm(candidates: readonly Candidate[]): number {
  const sizes = [...Map.groupBy(candidates, ({ form }) => form).values()].map((group) => group.length);
  const others = candidates.length - Math.max(0, ...sizes);
  return others === 0 ? candidates.length : Math.max(others, Math.ceil(candidates.length / 2) - others);
}
