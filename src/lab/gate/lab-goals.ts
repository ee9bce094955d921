import { signedPoints } from '../../base/share-text.ts';
import type { FixedSizeComparison } from './fixed-size-comparison.ts';
import { MIXED_WORLD } from './lab-cells.ts';
import type { LabCellResult } from './run-lab-cell.ts';
import type { DriftResult } from './simulate-drift.ts';
import { SIMULATED_WORLDS } from './simulated-world.ts';

/** One thing that the gate is to show, and the worst of what was measured for it. Shares in [0, 1]. */
export interface LabGoal {
  goal: string;
  /** What one decision may cost in these cells. */
  budget: string;
  /** Null: measured and printed, nothing is asked of it. */
  required: { atMost: number } | { atLeast: number } | null;
  measured: number;
  /** Where the worst was measured, and over how many cells it is the worst. */
  worst: string;
  cells: number;
  /** `undecided`: not shown, but with so few searches it may still hold. Null: nothing is asked. */
  verdict: 'met' | 'missed' | 'undecided' | null;
}

/** Least power at K = 1, by effect. */
const POWER: ReadonlyMap<number, number> = new Map([
  [0.1, 0.9],
  [0.05, 0.6],
]);
const MOST_HARMFUL = 0.005;
const MOST_COST = { atEffect: 0.9, atNull: 0.7 };

/** The goals that these results say something about. `alpha`: error allowed to a search. */
export function labGoals(
  {
    cells,
    comparisons,
    drift,
  }: { cells: readonly LabCellResult[]; comparisons: readonly FixedSizeComparison[]; drift: DriftResult | null },
  alpha: number,
): LabGoal[] {
  const ours = cells.filter(
    ({ rule, control, decision }) => rule === 'betting' && control === 'fallback' && decision === undefined,
  );
  const mixed = ours.filter(({ world }) => world === MIXED_WORLD);
  const single = ours.filter(({ world }) => world !== MIXED_WORLD);
  const nulls = byBudget(single.filter(({ effect }) => effect === 0));
  const gains = byBudget(single.filter(({ effect }) => effect > 0));
  const losses = byBudget(single.filter(({ effect }) => effect <= -0.05));
  const upper = (goal: string, group: Cells) => ofCells(goal, group, { atMost: alpha }, (cell) => cell.upper95);
  return [
    ...nulls.map((group) => upper('null searches that accept anything, upper 95% bound', group)),
    ...byBudget(mixed).map((group) => upper('mixed searches that accept what is not better, upper 95% bound', group)),
    ...gains.map((group) => powerOf(group)),
    ...losses.map((group) => {
      const [{ effect, goal }] = group;
      const claim = goal === 'not-worse' ? 'accepted as a harmless deletion' : 'accepted as better';
      return ofCells(`${signedPoints(effect)} ${claim}`, group, { atMost: MOST_HARMFUL }, ({ rate }) => rate);
    }),
    ...costGoals(comparisons),
    ...(drift === null ? [] : [driftGoal(drift, alpha)]),
  ];
}

type Cells = [LabCellResult, ...LabCellResult[]];

/** Cells that one sentence can speak of: the same effect, claim, number of candidates where there is an effect, and budget. */
function byBudget(cells: readonly LabCellResult[]): Cells[] {
  const key = ({ effect, goal, candidates, groups, repeats }: LabCellResult) =>
    [effect, goal, effect === 0 ? '' : candidates, groups, repeats].join();
  return [...Map.groupBy(cells, key).values()] as Cells[];
}

function powerOf(group: Cells): LabGoal {
  const [{ effect, candidates }] = group;
  const least = candidates === 1 ? POWER.get(effect) : undefined;
  const goal = `${signedPoints(effect)} found, K = ${candidates}`;
  return ofCells(goal, group, least === undefined ? null : { atLeast: least }, ({ rate }) => rate);
}

function ofCells(
  goal: string,
  cells: Cells,
  required: LabGoal['required'],
  valueOfCell: (cell: LabCellResult) => number,
): LabGoal {
  const sign = required !== null && 'atMost' in required ? -1 : 1;
  const worst = cells.toSorted((a, b) => sign * (valueOfCell(a) - valueOfCell(b)))[0] as LabCellResult;
  return {
    goal,
    budget: budgetOf(cells),
    required,
    measured: valueOfCell(worst),
    worst: `${worst.world}, K = ${worst.candidates}`,
    cells: cells.length,
    verdict: verdictOf(required, valueOfCell(worst), worst),
  };
}

function verdictOf(
  required: LabGoal['required'],
  measured: number,
  bounds: { lower95: number; upper95: number },
): LabGoal['verdict'] {
  if (required === null) return null;
  if ('atMost' in required) {
    if (measured <= required.atMost) return 'met';
    return bounds.lower95 > required.atMost ? 'missed' : 'undecided';
  }
  if (measured >= required.atLeast) return 'met';
  return bounds.upper95 < required.atLeast ? 'missed' : 'undecided';
}

/** Groups, rollouts and how the arms' luck is bound, with what single worlds have otherwise. */
function budgetOf(cells: Cells): string {
  const [{ groups, repeats }] = cells;
  const rollouts = groups * repeats * 2;
  const worlds = SIMULATED_WORLDS.filter(({ name }) => cells.some(({ world }) => world === name));
  const exceptions = worlds.flatMap(({ name, coupling, tasksPerGroup }) => [
    ...(coupling > 0 ? [`${name}: ${coupling * 100}% of the luck shared`] : []),
    ...(tasksPerGroup > 1 ? [`${name}: ${tasksPerGroup} tasks a group, ${rollouts * tasksPerGroup} rollouts`] : []),
  ]);
  const but = exceptions.length === 0 ? '' : ` (${exceptions.join('; ')})`;
  return `${groups} groups × ${repeats} repeats × 2 arms = ${rollouts} rollouts at most, independent seeds${but}`;
}

function costGoals(comparisons: readonly FixedSizeComparison[]): LabGoal[] {
  if (comparisons.length === 0) return [];
  return (['atEffect', 'atNull'] as const).map((where) => {
    const share = (one: FixedSizeComparison) => (where === 'atEffect' ? one.shareAtEffect : one.shareAtNull);
    const worst = comparisons.toSorted((a, b) => share(b) - share(a))[0] as FixedSizeComparison;
    const wald = where === 'atEffect' ? worst.waldAtEffect : worst.waldAtNull;
    const required = { atMost: MOST_COST[where] };
    return {
      goal: `mean rollouts beside a fixed-size test of equal error and power, ${where === 'atEffect' ? `at ${signedPoints(worst.effect)}` : 'on nulls'}`,
      budget: `fixed size: ${worst.fixedRollouts} rollouts at power ${worst.power.toFixed(3)}; Wald's bound is ${(wald * 100).toFixed(0)}%`,
      required,
      measured: share(worst),
      worst: worst.world,
      cells: comparisons.length,
      verdict: share(worst) <= required.atMost ? 'met' : 'missed',
    };
  });
}

function driftGoal({ checked, steps, effect, margin, groups, repeats }: DriftResult, alpha: number): LabGoal {
  const required = { atMost: alpha };
  return {
    goal: `${steps} deletions of ${signedPoints(effect)} end more than ${signedPoints(-margin)} from the seed pair, with the drift check`,
    budget: `${groups} groups × ${repeats} repeats`,
    required,
    measured: checked.beyondMargin,
    worst: 'coupled',
    cells: 1,
    verdict: checked.beyondMargin <= required.atMost ? 'met' : 'missed',
  };
}
