import { type GatePlan, planGate } from '../gate/plan-gate.ts';
import { alphaFor } from '../gate/search-error-control.ts';
import { gateGroups, tasksPerGateGroup } from './draw-tasks.ts';
import type { RunConfig } from './run-config.ts';
import type { RunContext } from './run-context.ts';

/** Halves of the search; each has its own decisions. */
export type Half = 'harness' | 'weights';

/**
 * Error allowed to the next decision of one half of the search, given for each earlier one of this half, in order, whether it was accepted. Where both halves
 * run, each owns half of the search's alpha (union bound), so that diffs tried in vain never leave a training too little to be judged by. Weights are decided
 * once a round, so their number is known; diffs are not. Pure.
 */
export function alphaAfter(
  { gate, only, rounds }: Pick<RunConfig, 'gate' | 'only' | 'rounds'>,
  half: Half,
  accepted: readonly boolean[],
): number {
  return alphaFor(
    accepted.length,
    accepted,
    only === null ? gate.alpha / 2 : gate.alpha,
    half === 'weights' ? { decisions: rounds } : {},
  );
}

/** {@link alphaAfter} what the registry holds of this seed. */
export async function alphaOfNextDecision(context: RunContext, half: Half): Promise<number> {
  const versions = await context.registry.versions();
  const decided = versions.filter(
    ({ seed, decision, kind }) => seed === context.seed && decision !== null && kind === half,
  );
  return alphaAfter(
    context.config,
    half,
    decided.map(({ accepted }) => accepted),
  );
}

/** Gate groups that one decision can take at most. Pure. */
export function mostGateGroups(search: Pick<RunContext, 'config' | 'splits' | 'seed'>): number {
  const available = gateGroups(search).length;
  return Math.min(search.config.sizes.gateGroups ?? available, available);
}

/**
 * What one decision at error `alpha` over all gate groups could show; `discordance`: share of pairs whose scores will differ, where it is known. Throws
 * CoHarnessError `too-few-groups` as planGate does. Pure.
 */
export function widestGate(
  search: Pick<RunContext, 'config' | 'splits' | 'seed'>,
  alpha: number,
  discordance?: number,
): GatePlan {
  const { gate } = search.config;
  return planGate({
    rule: gate.rule,
    margin: gate.margin,
    groups: mostGateGroups(search),
    tasksPerGroup: tasksPerGateGroup(search),
    repeats: 1,
    alpha,
    ...(discordance === undefined ? {} : { discordance }),
  });
}

/** {@link widestGate} of the next diff. */
export async function bestHarnessGate(context: RunContext, discordance?: number): Promise<GatePlan> {
  return widestGate(context, await alphaOfNextDecision(context, 'harness'), discordance);
}
