import { type GatePlan, planGate } from '../gate/plan-gate.ts';
import { alphaFor } from '../gate/search-error-control.ts';
import { gateGroups, tasksPerGateGroup } from './draw-tasks.ts';
import type { RunContext } from './run-context.ts';

type Half = 'harness' | 'weights';

/**
 * Error allowed to the next decision of one half of the search. Where both halves run, each owns half of the search's alpha (union bound), so that diffs
 * tried in vain never leave a training too little to be judged by. Weights are decided once a round, so their number is known; diffs are not.
 */
export async function alphaOfNextDecision(context: RunContext, half: Half): Promise<number> {
  const { gate, only, rounds } = context.config;
  const versions = await context.registry.versions();
  const decided = versions.filter(
    ({ seed, decision, kind }) => seed === context.seed && decision !== null && kind === half,
  );
  return alphaFor(
    decided.length,
    decided.map(({ accepted }) => accepted),
    only === null ? gate.alpha / 2 : gate.alpha,
    half === 'weights' ? { decisions: rounds } : {},
  );
}

/** What a gate over all gate tasks could show about the next diff; `discordance`: share of pairs whose scores will differ, where it is known. */
export async function bestHarnessGate(context: RunContext, discordance?: number): Promise<GatePlan> {
  const { rule, margin } = context.config.gate;
  return planGate({
    rule,
    margin,
    groups: context.config.sizes.gateGroups ?? gateGroups(context).length,
    tasksPerGroup: tasksPerGateGroup(context),
    repeats: 1,
    alpha: await alphaOfNextDecision(context, 'harness'),
    ...(discordance === undefined ? {} : { discordance }),
  });
}
