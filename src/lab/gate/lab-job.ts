import { type FixedSizeComparison, fixedSizeGroups, waldShares } from './fixed-size-comparison.ts';
import { type LabCell, labCell } from './lab-cells.ts';
import { type LabCellResult, runLabCell } from './run-lab-cell.ts';
import { type DriftResult, simulateDrift } from './simulate-drift.ts';
import { SIMULATED_WORLDS } from './simulated-world.ts';

/** One independent piece of the table; seeds do not depend on which worker takes it, nor on the other pieces. */
export type LabJob =
  | { kind: 'cell'; cell: LabCell; searches: number; seed: number }
  | { kind: 'comparison'; world: string; searches: number; seed: number }
  | { kind: 'drift'; searches: number; seed: number };

export type LabJobResult =
  | { kind: 'cell'; result: LabCellResult }
  | { kind: 'comparison'; result: FixedSizeComparison }
  | { kind: 'drift'; result: DriftResult };

export function runLabJob(job: LabJob): LabJobResult {
  switch (job.kind) {
    case 'cell':
      return { kind: 'cell', result: runLabCell(job.cell, job.searches, job.seed) };
    case 'comparison':
      return { kind: 'comparison', result: compare(job.world, job.searches, job.seed) };
    case 'drift':
      return { kind: 'drift', result: simulateDrift(job.searches, job.seed) };
  }
}

const EFFECT = 0.1;
/** Error of one of five decisions. */
const ALPHA = 0.01;
const ITERATIONS = 5;

function compare(world: string, searches: number, seed: number): FixedSizeComparison {
  const simulated = SIMULATED_WORLDS.find(({ name }) => name === world) as (typeof SIMULATED_WORLDS)[number];
  const atEffect = runLabCell(labCell({ world, effect: EFFECT }), searches, seed);
  const atNull = runLabCell(labCell({ world }), searches, seed);
  const { repeats, groups } = labCell({ effect: EFFECT });
  const settings = { effect: EFFECT, alpha: ALPHA, power: atEffect.rate, repeats, searches, seed, most: 2 * groups };
  const fixedRollouts = fixedSizeGroups(simulated, settings) * repeats * simulated.tasksPerGroup * 2;
  const wald = waldShares(ALPHA, Math.min(0.999, atEffect.rate));
  return {
    world,
    effect: EFFECT,
    alpha: ALPHA,
    power: atEffect.rate,
    fixedRollouts,
    shareAtEffect: atEffect.meanRollouts / fixedRollouts,
    shareAtNull: atNull.meanRollouts / ITERATIONS / fixedRollouts,
    waldAtEffect: wald.atEffect,
    waldAtNull: wald.atNull,
  };
}
