import type { Random } from '../../base/random.ts';
import type { GatePlanRequest } from '../../gate/plan-gate.ts';

/** Where a search's rollouts come from: a simulated world, or a pool of real ones. `Pair` is whatever tells pairs apart there. */
export interface SearchWorld<Pair> {
  name: string;
  /** Mean number of tasks in a group: what a group costs in one arm, times the repeats. */
  tasksPerGroup: number;
  /** What a plan knows of the noise before it is paid. */
  noise: Pick<GatePlanRequest, 'withinTaskVariance' | 'discordance' | 'tasksPerGroup'>;
  seedPair(groups: number, random: Random): Pair;
  /** Candidate number `candidate` (from 0) of an iteration, and its true mean effect against `parent`. */
  child(parent: Pair, candidate: number, random: Random): { pair: Pair; effect: number };
  openIteration(parent: Pair, repeats: number, random: Random): SearchRollouts<Pair>;
}

/** Rollouts of one iteration, as mean scores of a group in [0, 1]. The parent's are drawn once and met by every candidate. */
export interface SearchRollouts<Pair> {
  parent(group: number): number;
  /** Fresh rollouts of a candidate; `parent(group)` must have been asked for. */
  child(group: number, pair: Pair): number;
}
