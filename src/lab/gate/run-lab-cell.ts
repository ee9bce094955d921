import { type Random, seededRandom, seedFrom } from '../../base/random.ts';
import { exactBounds } from '../../statistics/exact-bounds.ts';
import { type LabCell, MIXED_WORLD } from './lab-cells.ts';
import { type SearchSettings, simulateSearch } from './simulate-search.ts';
import { type PairRates, SIMULATED_WORLDS, searchWorldOf } from './simulated-world.ts';

/** A measured cell. `upper95`, `lower95`: exact one-sided 95% bounds of `rate`. Rollouts: both arms of a whole search. */
export interface LabCellResult extends LabCell {
  searches: number;
  accepted: number;
  rate: number;
  upper95: number;
  lower95: number;
  meanRollouts: number;
  p95Rollouts: number;
  /** Share of false accepts among all accepts, mean over searches (0 where nothing was accepted). */
  falseDiscoveryRate: number;
}

const ITERATIONS = 5;
/** Error allowed to a whole search. */
export const ALPHA = 0.05;
const MARGIN = 0.05;

export function runLabCell(cell: LabCell, searches: number, seed: number): LabCellResult {
  return measureCell(cell, settingsOf(cell), searches, seed);
}

/** Plays `searches` searches and counts those that accepted what the cell is about. Same arguments, same numbers. */
export function measureCell<Pair>(
  cell: LabCell,
  settings: SearchSettings<Pair>,
  searches: number,
  seed: number,
): LabCellResult {
  const random = seededRandom(seedFrom('gate lab', seed, JSON.stringify(cell)));
  const rollouts = new Float64Array(searches);
  const countsTrue = cell.world !== MIXED_WORLD && cell.effect !== 0;
  let accepted = 0;
  let falseShare = 0;
  for (let search = 0; search < searches; search++) {
    const result = simulateSearch(settings, random);
    rollouts[search] = result.rollouts;
    // A harmful candidate has no true accept to count: any accept of it is the false one that the cell is about.
    if (countsTrue && isHarmless(cell) ? result.trueAccepts > 0 : result.falseAccepts > 0) accepted++;
    const accepts = result.falseAccepts + result.trueAccepts;
    if (accepts > 0) falseShare += result.falseAccepts / accepts;
  }
  rollouts.sort();
  const { lower, upper } = exactBounds(accepted, searches);
  return {
    ...cell,
    searches,
    accepted,
    rate: accepted / searches,
    upper95: upper,
    lower95: lower,
    meanRollouts: rollouts.reduce((sum, count) => sum + count, 0) / searches,
    p95Rollouts: rollouts[Math.min(searches - 1, Math.ceil(searches * 0.95) - 1)] as number,
    falseDiscoveryRate: falseShare / searches,
  };
}

function isHarmless(cell: LabCell): boolean {
  return cell.goal === 'improvement' ? cell.effect > 0 : cell.effect > -MARGIN;
}

function settingsOf(cell: LabCell): SearchSettings<PairRates> {
  const mixed = cell.world === MIXED_WORLD;
  const world = SIMULATED_WORLDS.find(({ name }) => name === (mixed ? 'even' : cell.world));
  if (world === undefined) throw new RangeError(`no simulated world is called ${cell.world}`);
  const drawEffect = mixed
    ? mixedEffect(cell.effect)
    : (_: Random, candidate: number) => (candidate === cell.candidates - 1 ? cell.effect : 0);
  return { ...searchOf(cell), world: searchWorldOf(world, drawEffect) };
}

/** The search of a cell, whatever world it is played in. */
export function searchOf(cell: LabCell): Omit<SearchSettings<unknown>, 'world'> {
  return {
    ...cell,
    iterations: cell.world === MIXED_WORLD || cell.effect === 0 ? ITERATIONS : 1,
    ...(cell.decision === undefined ? { plannedDecisions: ITERATIONS * cell.candidates } : {}),
    refusedBefore: (cell.decision ?? 1) - 1,
    alpha: cell.decision === undefined ? ALPHA : ALPHA / 2,
    margin: MARGIN,
  };
}

function mixedEffect(gain: number): (random: Random) => number {
  return (random) => {
    const draw = random.next();
    return draw < 0.25 ? gain : draw < 0.5 ? -0.05 : 0;
  };
}
