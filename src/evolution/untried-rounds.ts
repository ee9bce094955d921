import type { Journal } from '../base/journal.ts';
import { planKey } from './size-plan.ts';

/** Plans of a round's phases, as far as they say whether anything was tried: 0 tasks mean that too little time was left. */
type PhasePlan = { miningTasks: number } | { sampleTasks: number };

/**
 * Rounds of one seed, in order, of which every phase that was planned got no tasks: nothing was proposed, and nothing trained. A round that was never
 * planned is not among them.
 */
export async function untriedRounds(journal: Journal, seed: number, rounds: number): Promise<number[]> {
  const untried: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const plans = await plansOfRound(journal, seed, round);
    if (plans.length > 0 && plans.every(isEmpty)) untried.push(round);
  }
  return untried;
}

async function plansOfRound(journal: Journal, seed: number, round: number): Promise<PhasePlan[]> {
  const plans: PhasePlan[] = [];
  const read = async (step: Record<string, string | number>) => {
    const plan = (await journal.get(planKey(seed, step))) as PhasePlan | undefined;
    if (plan !== undefined) plans.push(plan);
    return plan !== undefined;
  };
  for (let iteration = 1; await read({ phase: 'harness', round, iteration }); iteration++);
  await read({ phase: 'weights', round });
  return plans;
}

function isEmpty(plan: PhasePlan): boolean {
  return ('miningTasks' in plan ? plan.miningTasks : plan.sampleTasks) === 0;
}
