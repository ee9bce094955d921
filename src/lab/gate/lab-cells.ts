import { GATE_RULES, type GateRule } from '../../gate/decision.ts';
import { ERROR_CONTROLS, type ErrorControl } from '../../gate/search-error-control.ts';
import { SIMULATED_WORLDS } from './simulated-world.ts';

/**
 * One cell of the table. With effect 0 a search is five iterations of null candidates and counts as accepted when it accepted
 * any of them; with another effect it is the first iteration, one candidate has the effect and the others none, and it counts when
 * that one is accepted. In world `mixed` candidates are +effect (1 in 4), −5 pp (1 in 4) or null, and a search counts when it
 * accepted one that is not better. The error is planned for 5 × candidates decisions, but where `decision` is given.
 */
export interface LabCell {
  rule: GateRule;
  world: string;
  /** True mean difference in [−1, 1]. */
  effect: number;
  candidates: number;
  /** `not-worse`: the candidates are deletions. */
  goal: 'improvement' | 'not-worse';
  control: ErrorControl;
  /** Most groups a decision may take, and repeats per task and arm. */
  groups: number;
  repeats: number;
  /**
   * First decision that is played, from 1, of the harness half of a run: those before it were refused, nobody knows how many will follow, and half of the error
   * is the weights'.
   */
  decision?: number;
}

export const MIXED_WORLD = 'mixed';
export const WORLD_NAMES: readonly string[] = [...SIMULATED_WORLDS.map((world) => world.name), MIXED_WORLD];
export const LAB_RULES = GATE_RULES;
export const LAB_CONTROLS = ERROR_CONTROLS;

/**
 * Budgets that the power claims are stated for: independent seeds, 4 repeats. Where a diff helps some groups by 30 points more than others, a
 * group says less about the mean, whatever the test, and the same power takes more of them.
 */
const GROUPS = {
  tenPoints: { usual: 200, heterogeneous: 260 },
  fivePoints: { usual: 400, heterogeneous: 450 },
};

export function labCell(choice: Partial<LabCell>): LabCell {
  const { rule = 'betting', effect = 0 } = choice;
  const small = effect !== 0 && Math.abs(effect) < 0.075;
  const spread = effect > 0 && choice.world === 'heterogeneous' ? 'heterogeneous' : 'usual';
  const defaults = {
    rule,
    world: 'even',
    effect,
    candidates: 1,
    goal: 'improvement' as const,
    control: 'fallback' as const,
    // The paper's rule is measured at the size it is stated for: 20 + 20 tasks, one rerun.
    groups: rule === 'paper' ? 40 : GROUPS[small ? 'fivePoints' : 'tenPoints'][spread],
    repeats: rule === 'paper' ? 1 : 4,
  };
  return { ...defaults, ...Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== undefined)) };
}

function product(base: Partial<LabCell>, worlds: readonly string[], candidates: readonly number[]): LabCell[] {
  return worlds.flatMap((world) => candidates.map((count) => labCell({ ...base, world, candidates: count })));
}

/** The table of docs/gate.md; `quick` leaves out what only repeats the picture. */
export function defaultCells(quick: boolean): LabCell[] {
  const simulated = SIMULATED_WORLDS.map((world) => world.name);
  const main = ['even', 'heterogeneous'];
  const everyK = [1, 3, 10];
  const shared = [
    ...product({ rule: 'paper' }, main, everyK),
    ...product({ effect: 0.1 }, quick ? ['even', 'coupled'] : simulated, [1]),
    ...product({ effect: 0.05 }, quick ? ['even'] : simulated, [1]),
    ...product({ effect: 0.1 }, ['even'], [10]),
    ...product({ effect: 0.05 }, ['even'], [10]),
    ...(quick ? [3] : [1, 3, 5]).flatMap((decision) => product({ effect: 0.1, decision }, ['even'], [1])),
    ...product({ effect: -0.05 }, ['even', 'coupled'], [1]),
    ...product({ effect: -0.05, goal: 'not-worse' }, ['even', 'coupled'], [1]),
    ...product({ effect: 0.1 }, [MIXED_WORLD], quick ? [3] : everyK),
  ];
  if (quick)
    return [...product({}, main, everyK), ...product({}, ['coupled', 'clustered', 'time-outs'], [3]), ...shared];
  return [
    ...product({}, simulated, everyK),
    ...product({ decision: 1 }, main, [1]),
    ...product({ rule: 'mean' }, main, everyK),
    ...product({ rule: 'permutation' }, main, [1]),
    ...shared,
    ...product({ effect: 0.1, control: 'e-lond' }, [MIXED_WORLD], [3]),
    ...product({ effect: 0.1, control: 'spending' }, [MIXED_WORLD], [3]),
    ...product({ rule: 'mean', effect: 0.1 }, ['even'], [1]),
    ...product({ rule: 'permutation', effect: 0.1 }, ['even'], [1]),
  ];
}
