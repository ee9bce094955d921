import { seededRandom, seedFrom } from '../../base/random.ts';
import { ATTRIBUTION_LABELS, type AttributionLabel, type Diagnosis } from '../../critic/attribution.ts';
import type { Critic } from '../../critic/critic.ts';
import type { ComponentKind } from '../../harness/harness.ts';
import { aggregate } from '../../patch/aggregate.ts';
import { type LabFailure, type LabGroup, minedOf } from './collect-failures.ts';
import type { Attributed } from './score-attributions.ts';
import { type CauseTestOptions, patchesFor, testCauses } from './test-causes.ts';

export interface AttributedGroup {
  attributed: Attributed[];
  cost: { modelCalls: number; tokens: number };
}

/** A critic's word for each failure of a group, as it stands. */
export async function attributeAlone(critic: Critic, group: LabGroup): Promise<AttributedGroup> {
  const diagnoses = await critic.diagnose(minedOf(group), group.harness);
  return { attributed: attributeDiagnosed(group, diagnoses, group.failures), cost: { modelCalls: 0, tokens: 0 } };
}

/** What diagnoses of a group say of some of its failures, in their order. An undecided one takes no position. */
export function attributeDiagnosed(
  group: LabGroup,
  diagnoses: readonly Diagnosis[],
  failures: readonly LabFailure[],
): Attributed[] {
  const decided = diagnoses.filter(({ standing }) => standing !== 'undecided');
  const patched = new Set(
    aggregate(decided).flatMap((cluster) =>
      cluster.label !== 'agent_error' && patchesFor(group, cluster, 1).length > 0 ? [clusterKey(cluster)] : [],
    ),
  );
  const byRollout = new Map(decided.map((diagnosis) => [diagnosis.rollout, diagnosis]));
  return failures.map(({ key }): Attributed => {
    const found = byRollout.get(key);
    return {
      truth: group.truth,
      label: found?.label ?? null,
      component: found?.component ?? null,
      isPatched: found !== undefined && patched.has(clusterKey(found)),
    };
  });
}

function clusterKey({ label, mechanism, path }: { label: string; mechanism: string; path: string | null }): string {
  return JSON.stringify([label, mechanism, path]);
}

/**
 * The same after replay: a cause whose patch beats its placebo may cost a diff, one that replay speaks against is given up, and one that nothing cured or
 * could test stands without a diff.
 */
export async function attributeWithReplay(
  critic: Critic,
  group: LabGroup,
  options: CauseTestOptions,
): Promise<AttributedGroup> {
  const diagnoses = await critic.diagnose(minedOf(group), group.harness);
  const causes = await testCauses(group, diagnoses, options);
  const attributed = group.failures.map(({ key }): Attributed => {
    const cause = causes.find((one) => one.diagnoses.some(({ rollout }) => rollout === key));
    const diagnosis = cause?.diagnoses.find(({ rollout }) => rollout === key);
    const verdict = cause?.result?.verdict;
    const isGivenUp = cause?.isRefuted === true;
    return {
      truth: group.truth,
      label: isGivenUp ? null : (diagnosis?.label ?? null),
      component: isGivenUp ? null : (diagnosis?.component ?? null),
      isPatched: verdict === 'confirmed',
    };
  });
  const sum = (count: (usage: { modelCalls: number; tokens: number }) => number) =>
    causes.reduce((total, { usage }) => total + count(usage), 0);
  return { attributed, cost: { modelCalls: sum(({ modelCalls }) => modelCalls), tokens: sum(({ tokens }) => tokens) } };
}

/** Always the commonest cause. */
export function attributeCommonest(
  group: LabGroup,
  commonest: { label: AttributionLabel; component: ComponentKind | null },
): AttributedGroup {
  const attributed = group.failures.map(() => ({
    truth: group.truth,
    ...commonest,
    isPatched: commonest.label !== 'agent_error',
  }));
  return { attributed, cost: { modelCalls: 0, tokens: 0 } };
}

/** Any label with equal chance, and the component that it mostly names. */
export function attributeAtRandom(
  group: LabGroup,
  usual: ReadonlyMap<AttributionLabel, ComponentKind | null>,
): AttributedGroup {
  const attributed = group.failures.map(({ key }): Attributed => {
    const random = seededRandom(seedFrom('random critic', key));
    const label = ATTRIBUTION_LABELS[random.below(ATTRIBUTION_LABELS.length)] as AttributionLabel;
    return { truth: group.truth, label, component: usual.get(label) ?? null, isPatched: label !== 'agent_error' };
  });
  return { attributed, cost: { modelCalls: 0, tokens: 0 } };
}
