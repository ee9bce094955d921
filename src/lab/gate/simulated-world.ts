import type { Random } from '../../base/random.ts';
import type { SearchWorld } from './search-world.ts';

/** Everything about a simulated benchmark that does not depend on the diff. */
export interface SimulatedWorld {
  name: string;
  /** Pass rates of the seed pair over groups: Beta(a, b), with a + b ≤ 2 or whole a and b. */
  shape: { a: number; b: number };
  /** Chance that parent and child draw the same luck for a rollout: 0 = independent seeds, 1 = common random numbers. */
  coupling: number;
  /** Near-copies in a group, and the chance that a copy repeats the first one's outcome instead of drawing its own. */
  tasksPerGroup: number;
  cloning: number;
  /** Chance that a rollout times out (score 0), in a random half of the groups that is drawn anew for each φ. */
  timeOuts: number;
  /** True effect of a diff on a group: ± this much around its mean, mean 0, as far as the pass rate leaves room. */
  spread: number;
}

const PLAIN = { shape: { a: 1, b: 1 }, coupling: 0, tasksPerGroup: 1, cloning: 0, timeOuts: 0, spread: 0 };

export const SIMULATED_WORLDS: readonly SimulatedWorld[] = [
  { ...PLAIN, name: 'even' },
  { ...PLAIN, name: 'bimodal', shape: { a: 0.4, b: 0.4 } },
  { ...PLAIN, name: 'hard', shape: { a: 1, b: 4 } },
  { ...PLAIN, name: 'easy', shape: { a: 4, b: 1 } },
  { ...PLAIN, name: 'middle', shape: { a: 6, b: 6 } },
  { ...PLAIN, name: 'coupled', coupling: 0.7 },
  { ...PLAIN, name: 'clustered', tasksPerGroup: 3, cloning: 0.8 },
  { ...PLAIN, name: 'time-outs', timeOuts: 0.2 },
  { ...PLAIN, name: 'heterogeneous', spread: 0.3 },
];

/** Variance of a score over repeats of one task, mean over the world's tasks: E p(1 − p). */
export function withinTaskVariance({ shape: { a, b } }: SimulatedWorld): number {
  return (a * b) / ((a + b) * (a + b + 1));
}

/** A simulated world to search in. `drawEffect`: true mean effect of each candidate, drawn anew; 0 for a null search. */
export function searchWorldOf(
  world: SimulatedWorld,
  drawEffect: (random: Random, candidate: number) => number,
): SearchWorld<PairRates> {
  return {
    name: world.name,
    tasksPerGroup: world.tasksPerGroup,
    noise: { withinTaskVariance: withinTaskVariance(world) },
    seedPair: (groups, random) => seedRates(world, groups, random),
    child: (parent, candidate, random) => {
      const effect = drawEffect(random, candidate);
      return { pair: childRates(world, parent, effect, random), effect };
    },
    openIteration: (parent, repeats, random) => {
      const rollouts = new IterationRollouts(world, parent, repeats, random);
      return {
        parent: (group) => rollouts.parent(group),
        child: (group, { scoring }) => rollouts.child(group, scoring[group] as number),
      };
    },
  };
}

/** True pass rates of one pair: what it can do, and what it scores once time-outs are counted. One entry per group. */
export interface PairRates {
  able: Float64Array;
  scoring: Float64Array;
}

export function seedRates(world: SimulatedWorld, groups: number, random: Random): PairRates {
  const able = new Float64Array(groups);
  for (let group = 0; group < groups; group++) able[group] = drawBeta(world.shape.a, world.shape.b, random);
  return { able, scoring: withTimeOuts(world, able, random) };
}

/**
 * Rates of a child whose mean effect over the population of groups is `effect`, up to clipping at 0 and 1: gains in
 * proportion to the room above, losses to the room below, plus the world's mean-zero spread and time-outs of its own.
 */
export function childRates(world: SimulatedWorld, parent: PairRates, effect: number, random: Random): PairRates {
  const { a, b } = world.shape;
  // What the time-outs leave of an effect on ability is the effect on scores that was asked for.
  const wanted = effect / (1 - world.timeOuts / 2);
  const slope = wanted >= 0 ? wanted / (b / (a + b)) : wanted / (a / (a + b));
  const able = new Float64Array(parent.able.length);
  for (let group = 0; group < able.length; group++) {
    const rate = parent.able[group] as number;
    let changed = rate + slope * (wanted >= 0 ? 1 - rate : rate);
    if (changed > 1) changed = 1;
    else if (changed < 0) changed = 0;
    if (world.spread > 0) {
      const room = Math.min(world.spread, changed, 1 - changed);
      changed += random.next() < 0.5 ? room : -room;
    }
    able[group] = changed;
  }
  return { able, scoring: withTimeOuts(world, able, random) };
}

function withTimeOuts(world: SimulatedWorld, able: Float64Array, random: Random): Float64Array {
  if (world.timeOuts === 0) return able;
  return able.map((rate) => (random.next() < 0.5 ? rate * (1 - world.timeOuts) : rate));
}

/** Beta(a, b): Jöhnk's algorithm for a + b ≤ 2, otherwise the a-th of a + b − 1 uniform numbers. */
function drawBeta(a: number, b: number, random: Random): number {
  if (a === 1 && b === 1) return random.next();
  if (a + b <= 2) {
    for (;;) {
      const x = random.next() ** (1 / a);
      const y = random.next() ** (1 / b);
      if (x + y <= 1 && x + y > 0) return x / (x + y);
    }
  }
  return Float64Array.from({ length: a + b - 1 }, () => random.next()).sort()[a - 1] as number;
}

/**
 * The rollouts of one iteration: the parent's are drawn once, on first sight of a group, and met by every candidate. Shares
 * solved per group, in [0, 1].
 */
export class IterationRollouts {
  private readonly world: SimulatedWorld;
  private readonly repeats: number;
  private readonly rates: Float64Array;
  private readonly random: Random;
  /** Rollouts of one group in one arm. */
  private readonly size: number;
  /** Uniform numbers behind the parent's rollouts, group-major. */
  private readonly luck: Float64Array;
  private readonly shares: Float64Array;
  private readonly own: Float64Array;

  constructor(world: SimulatedWorld, parent: PairRates, repeats: number, random: Random) {
    this.world = world;
    this.repeats = repeats;
    this.rates = parent.scoring;
    this.random = random;
    this.size = world.tasksPerGroup * repeats;
    this.luck = new Float64Array(parent.scoring.length * this.size);
    this.shares = new Float64Array(parent.scoring.length).fill(Number.NaN);
    this.own = new Float64Array(this.size);
  }

  parent(group: number): number {
    const known = this.shares[group] as number;
    if (!Number.isNaN(known)) return known;
    const rate = this.rates[group] as number;
    const start = group * this.size;
    let solved = 0;
    for (let index = 0; index < this.size; index++) {
      const cloned = index >= this.repeats && this.random.next() < this.world.cloning;
      const draw = cloned ? (this.luck[start + (index % this.repeats)] as number) : this.random.next();
      this.luck[start + index] = draw;
      if (draw < rate) solved++;
    }
    this.shares[group] = solved / this.size;
    return solved / this.size;
  }

  /** Draws fresh rollouts of a child; `parent(group)` must have been called. */
  child(group: number, rate: number): number {
    const { coupling, cloning } = this.world;
    const start = group * this.size;
    let solved = 0;
    for (let index = 0; index < this.size; index++) {
      let draw: number;
      if (index >= this.repeats && this.random.next() < cloning) draw = this.own[index % this.repeats] as number;
      else if (coupling > 0 && this.random.next() < coupling) draw = this.luck[start + index] as number;
      else draw = this.random.next();
      this.own[index] = draw;
      if (draw < rate) solved++;
    }
    return solved / this.size;
  }
}
