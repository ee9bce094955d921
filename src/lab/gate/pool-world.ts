import type { Random } from '../../base/random.ts';
import type { NullPool } from '../../evolution/null-pool.ts';
import { mean, variance } from '../../statistics/summary.ts';
import type { SearchRollouts, SearchWorld } from './search-world.ts';

/**
 * What a candidate is in a search over a pool. `same pair`: the parent itself under other seeds. `placebo`: a diff that means nothing, its draws taken apart
 * from the parent's. `placebo, same seeds`: the same, draw by draw under the parent's seeds, as the loop's own gate pairs them.
 */
export const POOL_WORLDS = ['same pair', 'placebo', 'placebo, same seeds'] as const;
export type PoolWorldName = (typeof POOL_WORLDS)[number];

/** The number of an arm. Nothing has a true effect here, so every accept is a false one. */
type Arm = number;

/**
 * Searches over real rollouts. Within one iteration a draw is used once, as long as a task has enough of them: a fresh draw of a finite pool is a fresh
 * draw of the pair. Searches share the pool, so that they are not independent of one another.
 */
export function poolWorld(pool: NullPool, kind: PoolWorldName): SearchWorld<Arm> {
  const { arms } = pool;
  const groups = arms[0] ?? [];
  const tasksPerGroup = groups.flat().length / Math.max(1, groups.length);
  const discordance = expectedDiscordance(pool, kind);
  return {
    name: kind,
    tasksPerGroup,
    noise: { discordance, tasksPerGroup },
    seedPair: () => 0,
    child: (parent, candidate) => ({
      pair: kind === 'same pair' ? parent : placeboArm(arms.length, parent, candidate),
      effect: 0,
    }),
    openIteration: (parent, draws, random) => openIteration(pool, kind, parent, draws, random),
  };
}

/** Candidates take the other arms in turn, whatever the parent is by now. */
function placeboArm(arms: number, parent: Arm, candidate: number): Arm {
  return (parent + 1 + (candidate % (arms - 1))) % arms;
}

function openIteration(
  { arms }: NullPool,
  kind: PoolWorldName,
  parentArm: Arm,
  repeats: number,
  random: Random,
): SearchRollouts<Arm> {
  const shares = new Map<number, number>();
  /** Order of the draws of each task, by group: the parent has the first ones. */
  const orders = new Map<number, Uint32Array[]>();
  const next = new Map<number, number>();
  const meanOf = (arm: Arm, group: number, from: number) => {
    let sum = 0;
    const tasks = arms[arm]?.[group] ?? [];
    for (const [task, scores] of tasks.entries()) {
      const order = orders.get(group)?.[task] as Uint32Array;
      for (let index = from; index < from + repeats; index++) sum += scores[order[index] as number] as number;
    }
    return sum / (tasks.length * repeats);
  };
  const size = (group: number) => Math.min(...(arms[parentArm]?.[group] ?? []).map((task) => task.length));
  return {
    parent: (group) => {
      const known = shares.get(group);
      if (known !== undefined) return known;
      const draws = size(group);
      orders.set(
        group,
        (arms[parentArm]?.[group] ?? []).map(() => shuffled(draws, random)),
      );
      next.set(group, repeats);
      const share = meanOf(parentArm, group, 0);
      shares.set(group, share);
      return share;
    },
    child: (group, arm) => {
      if (kind === 'placebo, same seeds') return meanOf(arm, group, 0);
      let from = next.get(group) as number;
      if (from + repeats > size(group)) {
        for (const order of orders.get(group) ?? []) shuffleFrom(order, repeats, random);
        from = repeats;
      }
      next.set(group, from + repeats);
      return meanOf(arm, group, from);
    },
  };
}

function shuffled(length: number, random: Random): Uint32Array {
  const order = Uint32Array.from({ length }, (_, index) => index);
  shuffleFrom(order, 0, random);
  return order;
}

function shuffleFrom(order: Uint32Array, start: number, random: Random): void {
  for (let index = order.length - 1; index > start; index--) {
    const other = start + random.below(index - start + 1);
    [order[index], order[other]] = [order[other] as number, order[index] as number];
  }
}

/** Chance that a parent's and a candidate's rollout of one task score differently, as the whole pool has it: what a run knows from `train`. */
function expectedDiscordance({ arms }: NullPool, kind: PoolWorldName): number {
  const [pair = [], ...placebos] = arms;
  const differing = pair.flatMap((group, index) =>
    group.flatMap((scores, task) => {
      if (kind === 'same pair') return [differenceWithin(scores)];
      return placebos.map((arm) => {
        const others = arm[index]?.[task] ?? [];
        return kind === 'placebo' ? differenceBetween(scores, others) : differenceBySeed(scores, others);
      });
    }),
  );
  return meanOf(differing);
}

function meanOf(values: readonly number[]): number {
  return mean(values) ?? 0;
}

/** Mean squared difference of two draws: for scores of 0 and 1 the share of pairs that differ. */
function differenceWithin(scores: readonly number[]): number {
  return 2 * (variance(scores) ?? 0);
}

function differenceBetween(scores: readonly number[], others: readonly number[]): number {
  const square = (values: readonly number[]) => meanOf(values.map((value) => value * value));
  return square(scores) + square(others) - 2 * meanOf(scores) * meanOf(others);
}

/** Draw by draw: all arms of a pool have the same ones. */
function differenceBySeed(scores: readonly number[], others: readonly number[]): number {
  return meanOf(scores.map((score, draw) => (score - (others[draw] as number)) ** 2));
}
