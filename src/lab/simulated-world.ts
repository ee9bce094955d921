import type { Random } from '../base/random.ts';

/** Shape of the tasks' pass rates under the parent: Beta(a, b) over groups. */
export interface PassRateShape {
  name: string;
  a: number;
  b: number;
}

export const PASS_RATE_SHAPES: readonly PassRateShape[] = [
  { name: 'even', a: 1, b: 1 },
  { name: 'bimodal', a: 0.4, b: 0.4 },
  { name: 'hard', a: 1, b: 4 },
  { name: 'easy', a: 4, b: 1 },
  { name: 'middle', a: 6, b: 6 },
];

/** Everything about a simulated benchmark that does not depend on the diff. */
export interface SimulatedWorld {
  name: string;
  shape: PassRateShape;
  /** Chance that parent and child draw the same luck for a rollout: 0 = independent seeds, 1 = common random numbers. */
  coupling: number;
  /** Near-copies in a group, and the chance that a copy repeats the group's first outcome instead of drawing its own. */
  tasksPerGroup: number;
  cloning: number;
  /** Chance that a rollout times out: scored 0 in either arm. Half of it in a random half of the groups, the rest elsewhere. */
  timeOuts: number;
  /** Spread of a diff's true effect over groups around its mean: ± this much, mean 0, as far as pass rates leave room. */
  spread: number;
}

const PLAIN = { coupling: 0, tasksPerGroup: 1, cloning: 0, timeOuts: 0, spread: 0 };

function shape(name: string): PassRateShape {
  return PASS_RATE_SHAPES.find((candidate) => candidate.name === name) as PassRateShape;
}

export const SIMULATED_WORLDS: readonly SimulatedWorld[] = [
  ...PASS_RATE_SHAPES.map((each) => ({ ...PLAIN, name: each.name, shape: each })),
  { ...PLAIN, name: 'coupled', shape: shape('even'), coupling: 0.7 },
  { ...PLAIN, name: 'clustered', shape: shape('even'), tasksPerGroup: 3, cloning: 0.8 },
  { ...PLAIN, name: 'time-outs', shape: shape('even'), timeOuts: 0.2 },
  { ...PLAIN, name: 'heterogeneous', shape: shape('even'), spread: 0.3 },
];

/** Pass rate per group, in [0, 1]. */
export function drawPassRates(world: SimulatedWorld, groups: number, random: Random): Float64Array {
  return Float64Array.from({ length: groups }, () => drawBeta(world.shape.a, world.shape.b, random));
}

/**
 * Pass rates of a child whose mean effect over the *population* of groups is exactly `effect`: gains in proportion to the
 * room above, losses to the room below, plus the world's mean-zero spread.
 */
export function childRates(world: SimulatedWorld, parent: Float64Array, effect: number, random: Random): Float64Array {
  const { a, b } = world.shape;
  const meanRate = a / (a + b);
  return parent.map((rate) => {
    const shifted = effect >= 0 ? rate + (effect * (1 - rate)) / (1 - meanRate) : rate + (effect * rate) / meanRate;
    const inside = Math.min(1, Math.max(0, shifted));
    if (world.spread === 0) return inside;
    const room = Math.min(world.spread, inside, 1 - inside);
    return inside + (random.next() < 0.5 ? room : -room);
  });
}

/** Beta by Jöhnk's algorithm for a + b ≤ 2, otherwise as an order statistic (whole a, b) of uniform numbers. */
function drawBeta(a: number, b: number, random: Random): number {
  if (a + b <= 2) {
    for (;;) {
      const x = random.next() ** (1 / a);
      const y = random.next() ** (1 / b);
      if (x + y <= 1 && x + y > 0) return x / (x + y);
    }
  }
  const uniforms = Float64Array.from({ length: a + b - 1 }, () => random.next()).sort();
  return uniforms[a - 1] as number;
}

/**
 * Outcomes of one group's rollouts, as shares solved in [0, 1]. The parent's luck is drawn once and kept, so that all
 * candidates of an iteration meet the same parent rollouts.
 */
export class GroupOutcomes {
  /** Uniform numbers behind the parent's rollouts: task-major, one per rollout. */
  readonly luck: Float64Array;
  private readonly world: SimulatedWorld;
  private readonly repeats: number;

  constructor(world: SimulatedWorld, repeats: number) {
    this.world = world;
    this.repeats = repeats;
    this.luck = new Float64Array(world.tasksPerGroup * repeats);
  }

  /** Draws the parent's rollouts: share solved. */
  parent(rate: number, random: Random): number {
    let solved = 0;
    for (let index = 0; index < this.luck.length; index++) {
      const cloned = index >= this.repeats && random.next() < this.world.cloning;
      const draw = cloned ? (this.luck[index % this.repeats] as number) : random.next();
      this.luck[index] = draw;
      if (draw < rate) solved++;
    }
    return solved / this.luck.length;
  }

  /** Draws the child's rollouts: share solved. */
  child(rate: number, random: Random): number {
    const { coupling, cloning } = this.world;
    let solved = 0;
    this.own ??= new Float64Array(this.luck.length);
    for (let index = 0; index < this.luck.length; index++) {
      const cloned = index >= this.repeats && cloning > 0 && random.next() < cloning;
      const shared = coupling > 0 && random.next() < coupling;
      const draw = cloned
        ? (this.own[index % this.repeats] as number)
        : shared
          ? (this.luck[index] as number)
          : random.next();
      this.own[index] = draw;
      if (draw < rate) solved++;
    }
    return solved / this.luck.length;
  }

  private own: Float64Array | undefined;
}
