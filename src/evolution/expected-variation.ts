import { contentHash } from '../base/content-hash.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { Arm } from './roll-pairs.ts';
import type { RunContext } from './run-context.ts';

/** Rollouts that the assumption made without any is worth. */
const PRIOR_WEIGHT = 10;
const PRIOR_DISCORDANCE = 0.32;

/**
 * How much the outcomes of two pairs are going to differ, from what both have done on `train`: the share of the same tasks and seeds on which their
 * scores differ, or, where they shared none, what independent luck at their pass rates would give. It sizes a plan and is never evidence: a wrong
 * value costs power, never validity.
 */
export function expectedVariation(
  context: RunContext,
  parent: Pick<Arm, 'pair'>,
  child: Pick<Arm, 'pair'>,
): { discordance: number; pairs: number } {
  const before = scoresOf(context, parent);
  const after = scoresOf(context, child);
  const shared = [...before].flatMap(([key, score]) => {
    const other = after.get(key);
    return other === undefined ? [] : [(other - score) ** 2];
  });
  if (shared.length >= PRIOR_WEIGHT) return { discordance: shrunk(shared), pairs: shared.length };
  const own = [...before.values(), ...after.values()];
  const rate = (own.reduce((sum, score) => sum + score, 0) + 0.5) / (own.length + 1);
  return { discordance: shrunk(own.map(() => 2 * rate * (1 - rate))), pairs: 0 };
}

/**
 * Expected share of pairs whose scores differ between the first and the last of a chain of pairs (two or more): where these two shared too few rollouts, what the steps of the
 * chain add up to, if that is less than independent luck would give.
 */
export function variationAlong(context: RunContext, chain: readonly Pick<Arm, 'pair'>[]): number {
  const [first, last] = [chain[0], chain.at(-1)] as [Pick<Arm, 'pair'>, Pick<Arm, 'pair'>];
  const direct = expectedVariation(context, first, last);
  if (direct.pairs > 0) return direct.discordance;
  const steps = chain.slice(1).map((arm, index) => expectedVariation(context, chain[index] ?? first, arm).discordance);
  return Math.min(
    direct.discordance,
    steps.reduce((sum, step) => sum + step, 0),
  );
}

/** The smallest `discordance` that so many shared rollouts can give: none of their scores differ. */
export function leastDiscordance(pairs: number): number {
  return shrunk(Array.from({ length: pairs }, () => 0));
}

function shrunk(squares: readonly number[]): number {
  const sum = squares.reduce((total, square) => total + square, PRIOR_WEIGHT * PRIOR_DISCORDANCE);
  return sum / (squares.length + PRIOR_WEIGHT);
}

/** Scores on `train` at φ's own sampling, by task, seed and repeat. */
function scoresOf({ trainHistory }: RunContext, { pair }: Pick<Arm, 'pair'>): Map<string, number> {
  const model = contentHash(pair.model);
  const isOwn = ({ identity }: Trajectory) =>
    identity.harness === pair.harness && identity.sampling === null && contentHash(identity.model) === model;
  return new Map(
    [...trainHistory.values()].filter(isOwn).flatMap(({ identity, outcome }) => {
      const key = `${identity.task} ${identity.seed} ${identity.repeat}`;
      return outcome.kind === 'scored' ? [[key, outcome.score] as [string, number]] : [];
    }),
  );
}
