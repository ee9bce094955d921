import { desk } from './desk.ts';
import type { LabScenario } from './lab-scenario.ts';
import { ledger } from './ledger.ts';
import { orders } from './orders.ts';
import { workshop } from './workshop.ts';

/** One call and a number; many functions; many turns with memory. */
const SHARED: readonly LabScenario[] = [workshop, desk, orders];

/** Working harnesses that each split's kinds are let loose on. The held-out ones stay those that they were committed with. */
export const LAB_SCENARIOS: Readonly<Record<'development' | 'heldOut', readonly LabScenario[]>> = {
  development: [...SHARED, ledger],
  heldOut: SHARED,
};

/** Another working harness than that of a scenario. */
export function foreignTo(scenario: LabScenario): LabScenario {
  return SHARED[(SHARED.indexOf(scenario) + 1) % SHARED.length] as LabScenario;
}
