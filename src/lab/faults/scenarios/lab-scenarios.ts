import { desk } from './desk.ts';
import type { LabScenario } from './lab-scenario.ts';
import { orders } from './orders.ts';
import { workshop } from './workshop.ts';

/** One call and a number; many functions; many turns with memory. */
export const LAB_SCENARIOS: readonly LabScenario[] = [workshop, desk, orders];

/** Another working harness than that of a scenario. */
export function foreignTo(scenario: LabScenario): LabScenario {
  return LAB_SCENARIOS[(LAB_SCENARIOS.indexOf(scenario) + 1) % LAB_SCENARIOS.length] as LabScenario;
}
