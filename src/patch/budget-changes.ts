import type { Harness } from '../harness/harness.ts';
import type { Patch } from './patch.ts';

type Budget = Patch['relaxes'][number];

/**
 * What a change of φ lets a rollout spend more of, read from both harnesses: what a diff says of itself is not asked. Retries are not in it, they
 * happen within the turn limit.
 */
export function relaxationsOf(parent: Harness, child: Harness): Budget[] {
  return (Object.keys(LIMITS) as Budget[]).filter((budget) =>
    LIMITS[budget].some((limit) => limit(child) > limit(parent)),
  );
}

/**
 * Whether a change means to save without giving anything up elsewhere: some limit is lower, a stop string was added, the texts that every rollout sends
 * are shorter, a decided vote ends, or another number of rollouts is in flight; and no limit is higher. Whether it does save is measured.
 */
function isSaving(parent: Harness, child: Harness): boolean {
  if (relaxationsOf(parent, child).length > 0) return false;
  const isLower = Object.values(LIMITS).some((limits) => limits.some((limit) => limit(child) < limit(parent)));
  const stops = ({ settings }: Harness) => new Set(settings.protocol.stop);
  const isShorter = stops(child).size > stops(parent).size || sentCharacters(child) < sentCharacters(parent);
  return isLower || isShorter || endsDecidedVotes(parent, child) || isBatchedOtherwise(parent, child);
}

/** Whether a diff saves, and cures nothing: the gate then asks only that nothing is lost. */
export function isMereSaving({ target }: Pick<Patch, 'target'>, parent: Harness, child: Harness): boolean {
  return target === null && isSaving(parent, child);
}

function endsDecidedVotes(parent: Harness, child: Harness): boolean {
  return child.settings.voting.stopWhenDecided && !parent.settings.voting.stopWhenDecided;
}

/** Whether a change makes another number of rollouts run side by side: then only the time of a whole batch tells which is faster. */
export function isBatchedOtherwise(parent: Harness, child: Harness): boolean {
  return parent.settings.batching.inFlight !== child.settings.batching.inFlight;
}

const LIMITS: Record<Budget, readonly ((harness: Harness) => number)[]> = {
  turns: [({ settings }) => settings.limits.turns],
  tokens: [({ settings }) => settings.limits.tokensPerTurn],
  votes: [({ settings }) => settings.votes],
  time: [
    ({ settings }) => settings.limits.wallMs,
    ({ tools }) => Math.max(0, ...tools.map((tool) => tool.limits.wallMs)),
  ],
};

/** Characters of the texts that every rollout sends. */
export function sentCharacters({ prompts, examples }: Harness): number {
  return JSON.stringify(prompts).length + JSON.stringify(examples).length;
}
