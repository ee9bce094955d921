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
 * Whether a change saves without giving anything up elsewhere: some limit is lower, a stop string was added, or the texts that every rollout sends
 * are shorter, and no limit is higher.
 */
export function isSaving(parent: Harness, child: Harness): boolean {
  if (relaxationsOf(parent, child).length > 0) return false;
  const isLower = Object.values(LIMITS).some((limits) => limits.some((limit) => limit(child) < limit(parent)));
  const stops = ({ settings }: Harness) => new Set(settings.protocol.stop);
  return isLower || stops(child).size > stops(parent).size || sentCharacters(child) < sentCharacters(parent);
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

function sentCharacters({ prompts, examples }: Harness): number {
  return JSON.stringify(prompts).length + JSON.stringify(examples).length;
}
