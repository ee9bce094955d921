import type { Harness } from '../harness/harness.ts';
import type { Patch } from './patch.ts';

type Budget = Patch['relaxes'][number];

/**
 * What a change of φ lets a rollout spend more of, read from both harnesses: what a diff says of itself is not asked. What happens within the turn limit is not in it
 * (errors fed back, answers asked for again, calls that may repeat), nor what only lengthens what the model reads (texts, results, memory): its tokens are measured.
 */
export function relaxationsOf(parent: Harness, child: Harness): Budget[] {
  return (Object.keys(LIMITS) as Budget[]).filter((budget) => isAnyHigher(LIMITS[budget], child, parent));
}

/** Whether a limit of `one` is above the same limit of the `other`; those that only one of them has are not compared. */
function isAnyHigher(limits: LimitsOf, one: Harness, other: Harness): boolean {
  const others = limits(other);
  return Object.entries(limits(one)).some(([name, limit]) => limit > (others[name] ?? Number.POSITIVE_INFINITY));
}

/**
 * Whether a change means to save without giving anything up elsewhere: some limit is lower, a stop string was added, the texts that every rollout sends
 * are shorter, or another number of rollouts is in flight; and no limit is higher. Whether it does save is measured.
 */
function isSaving(parent: Harness, child: Harness): boolean {
  if (relaxationsOf(parent, child).length > 0) return false;
  const isLower = Object.values(LIMITS).some((limits) => isAnyHigher(limits, parent, child));
  const stops = ({ settings }: Harness) => new Set(settings.protocol.stop);
  const isShorter = stops(child).size > stops(parent).size || sentCharacters(child) < sentCharacters(parent);
  return isLower || isShorter || isBatchedOtherwise(parent, child);
}

/** Whether a diff saves, and cures nothing: the gate then asks only that nothing is lost. */
export function isMereSaving({ target }: Pick<Patch, 'target'>, parent: Harness, child: Harness): boolean {
  return target === null && isSaving(parent, child);
}

/** Whether a change makes another number of rollouts run side by side: then only the time of a whole batch tells which is faster. */
export function isBatchedOtherwise(parent: Harness, child: Harness): boolean {
  return parent.settings.batching.inFlight !== child.settings.batching.inFlight;
}

type LimitsOf = (harness: Harness) => Readonly<Record<string, number>>;

/** By the place in φ. */
const LIMITS: Record<Budget, LimitsOf> = {
  turns: ({ settings, memory }) => ({
    turns: settings.limits.turns,
    // A summary is a model call on top of the turns.
    summaries: Math.min(1, memory.summary.tokens),
  }),
  tokens: ({ settings, memory }) => ({
    perTurn: settings.limits.tokensPerTurn,
    perSummary: memory.summary.tokens,
  }),
  votes: ({ settings }) => ({ most: settings.votes, fewest: fewestVotes(settings) }),
  time: ({ settings, tools, middleware, retry }) => ({
    rollout: settings.limits.wallMs,
    longestTool: Math.max(0, ...tools.map((tool) => tool.limits.wallMs)),
    // Within one turn.
    toolRuns: retry.toolRuns,
    ...Object.fromEntries(tools.map(({ name, limits }) => [`tool ${name}`, limits.wallMs])),
    ...Object.fromEntries(
      middleware.flatMap(({ id, ...hook }) => (hook.kind === 'js' ? [[`hook ${id}`, hook.options.wallMs]] : [])),
    ),
  }),
};

/** Votes that run where all agree: whole waves, as `runRollout` starts them, until none to come could change the answer. */
function fewestVotes({ votes, voting }: Harness['settings']): number {
  if (!voting.stopWhenDecided) return votes;
  const wave = voting.atOnce ?? Math.ceil((votes + 1) / 2);
  return Math.min(votes, Math.ceil(votes / 2 / wave) * wave);
}

/** Characters of the texts that every rollout sends. */
export function sentCharacters({ prompts, examples }: Harness): number {
  return JSON.stringify(prompts).length + JSON.stringify(examples).length;
}
