import { CoHarnessError } from '../../base/errors.ts';
import type { NullPool } from '../../evolution/null-pool.ts';
import { groupBootstrap } from '../../statistics/group-bootstrap.ts';
import { mean } from '../../statistics/summary.ts';
import { type LabCell, labCell } from './lab-cells.ts';
import { POOL_WORLDS, type PoolWorldName, poolWorld } from './pool-world.ts';
import { ALPHA, type LabCellResult, measureCell, searchOf } from './run-lab-cell.ts';

export const NULL_POOL_SCHEMA = 'co-harness/null-pool@1';

export interface NullPoolOptions {
  /** Searches a cell. */
  searches: number;
  seed: number;
  /** Rollouts of a task in one arm of a decision. */
  repeats: number;
  /** Candidates of an iteration, one cell each. */
  candidates: readonly number[];
}

/** One φ of the pool, with its mean score and, for a placebo, its difference to the pair and what of it luck explains (95%, over groups). */
export interface PoolArmSummary {
  name: string;
  rollouts: number;
  score: number;
  difference: { mean: number; low: number; high: number } | null;
}

export interface NullPoolReport {
  schema: typeof NULL_POOL_SCHEMA;
  alpha: number;
  seed: number;
  pool: {
    name: string;
    rollouts: number;
    groups: number;
    tasks: number;
    /** Draws of the task that has fewest, the same in every arm: what a search can use. */
    draws: number;
    arms: PoolArmSummary[];
  };
  /** Five iterations of K candidates each; `world` says what a candidate is. The searches of a cell share the pool. */
  cells: (LabCellResult & {
    /** Searches that the arms and groups of this cell could pay for without using a rollout twice: how far the interval can be trusted. */
    freshSearches: number;
  })[];
}

/**
 * Resamples whole null searches of the gate's own code from a pool of real rollouts, beside the paper's rule. Throws CoHarnessError `small-pool` where not
 * even one decision could be made of it. A number of candidates is left out where a task has fewer draws than its parent and they need: candidates that share
 * draws are accepted together.
 */
export function nullPoolReport(pool: NullPool, options: NullPoolOptions): NullPoolReport {
  const whole = wholeTasks(pool, 2 * options.repeats);
  const groups = whole.arms[0]?.length ?? 0;
  const draws = Math.min(...(whole.arms[0] ?? []).flat().map((scores) => scores.length));
  const cells = POOL_WORLDS.flatMap((world) => {
    const most = world === 'placebo, same seeds' ? whole.arms.length - 1 : Math.floor(draws / options.repeats) - 1;
    if (world !== 'same pair' && whole.arms.length < 2) return [];
    return options.candidates
      .filter((count) => count <= most)
      .flatMap((count) => cellsOf(whole, world, count, options));
  });
  return {
    schema: NULL_POOL_SCHEMA,
    alpha: ALPHA,
    seed: options.seed,
    pool: {
      name: pool.header.name,
      rollouts: pool.rollouts,
      groups,
      tasks: (whole.arms[0] ?? []).flat().length,
      draws,
      arms: summaries(pool),
    },
    cells,
  };
}

function cellsOf(
  pool: NullPool,
  world: PoolWorldName,
  candidates: number,
  { searches, seed, repeats }: NullPoolOptions,
): NullPoolReport['cells'] {
  const groups = pool.arms[0]?.length ?? 0;
  return (['betting', 'paper'] as const).map((rule) => {
    const paper = labCell({ rule: 'paper' });
    const size =
      rule === 'paper' ? { groups: Math.min(groups, paper.groups), repeats: paper.repeats } : { groups, repeats };
    const cell = labCell({ rule, world, candidates, ...size });
    const result = measureCell(cell, { ...searchOf(cell), world: poolWorld(pool, world) }, searches, seed);
    return { ...result, freshSearches: Math.floor(rolloutsFor(pool, world, cell) / result.meanRollouts) };
  });
}

/** Rollouts that the searches of a cell draw from: `same pair` meets one arm, a search of few candidates not all placebos, and one of few groups the first ones. */
function rolloutsFor({ arms }: NullPool, world: PoolWorldName, { candidates, groups }: LabCell): number {
  const used = world === 'same pair' ? 1 : Math.min(arms.length, candidates + 1);
  return arms.slice(0, used).flatMap((arm) => arm.slice(0, groups).flat(2)).length;
}

/** Tasks with fewer draws than a decision needs are left out: a pool is collected draw by draw and stops anywhere. */
function wholeTasks(pool: NullPool, needed: number): NullPool {
  const arms = pool.arms.map((arm) =>
    arm.map((group) => group.filter((scores) => scores.length >= needed)).filter((group) => group.length > 0),
  );
  const groups = arms[0]?.length ?? 0;
  if (groups >= FEWEST_GROUPS) return { ...pool, arms };
  throw new CoHarnessError(
    'small-pool',
    `${pool.rollouts} rollouts give ${groups} groups with ${needed} draws a task in every arm, ${FEWEST_GROUPS} are needed. Collect more, or ask for fewer --repeats.`,
    { details: { rollouts: pool.rollouts, needed } },
  );
}

/** Below that no decision of a search of 5 × 10 is possible at all. */
const FEWEST_GROUPS = 20;

function summaries({ header, arms }: NullPool): PoolArmSummary[] {
  const groupMeans = arms.map((arm) => arm.map((group) => mean(group.flat())));
  return header.arms.map(({ name }, index) => {
    const differences = (groupMeans[index] ?? []).flatMap((own, group) => {
      const pair = groupMeans[0]?.[group];
      return own === undefined || pair === undefined ? [] : [own - pair];
    });
    const scores = arms[index]?.flat(2) ?? [];
    const difference = index === 0 ? undefined : groupBootstrap(differences, { seed: 1 });
    return {
      name,
      rollouts: scores.length,
      score: mean(scores) ?? Number.NaN,
      difference:
        difference === undefined ? null : { mean: difference.mean, low: difference.low, high: difference.high },
    };
  });
}
