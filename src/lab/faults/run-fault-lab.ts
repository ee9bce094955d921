import { setImmediate } from 'node:timers/promises';
import { manualClock } from '../../base/clock.ts';
import { AbortedError } from '../../base/errors.ts';
import type { AttributionLabel } from '../../critic/attribution.ts';
import type { Critic } from '../../critic/critic.ts';
import { evidenceCritic } from '../../critic/evidence-critic.ts';
import type { ComponentKind } from '../../harness/harness.ts';
import {
  type AttributedGroup,
  attributeAlone,
  attributeAtRandom,
  attributeCommonest,
  attributeWithReplay,
} from './attribute-group.ts';
import { agentErrorGroup, type LabGroup, mutationGroup, scriptedRollOut } from './collect-failures.ts';
import { FAULT_CATALOGUES, type FaultSplit, kindNames } from './fault-catalogues.ts';
import { labModel } from './lab-model.ts';
import { allMutations } from './mutation/all-mutations.ts';
import { type RealActor, realFaultGroups } from './real-actor.ts';
import { foreignTo, LAB_SCENARIOS } from './scenarios/lab-scenarios.ts';
import { type AttributionScore, scoreAttributions } from './score-attributions.ts';

export const FAULT_LAB_SCHEMA = 'co-harness/lab-faults@1';

export interface FaultLabOptions {
  seed: number;
  /** Mutations of each generic kind in each scenario, at most. */
  perKind: number;
  /** Tasks each mutation is tried on. */
  tasks: number;
  /** Failures of a mutation that are judged, at most. */
  failures: number;
  patches: number;
  samples: number;
  critics?: readonly Critic[];
  /** Default: both. */
  splits?: readonly FaultSplit[];
  /** Acts in the place of the scripted actor; the baselines still know the scripted development split. */
  actor?: RealActor;
  /** Stops the collection of failures between two mutations. */
  signal?: AbortSignal;
  onProgress?: (text: string) => void;
}

/** About half a minute on two cores. */
export const QUICK_FAULT_LAB: FaultLabOptions = { seed: 1, perKind: 2, tasks: 24, failures: 8, patches: 3, samples: 2 };
export const FULL_FAULT_LAB: FaultLabOptions = { seed: 1, perKind: 8, tasks: 48, failures: 12, patches: 4, samples: 4 };
/** With a real actor, whose rollouts are dear: its tasks come with it. */
export const REAL_FAULT_LAB: FaultLabOptions = { ...QUICK_FAULT_LAB, patches: 1 };

export interface FaultLabResult extends AttributionScore {
  critic: string;
  replay: boolean;
  actor: 'real' | 'scripted';
  split: FaultSplit;
  /** Mutations and intact harnesses that the failures come from. Those of one are alike, so that intervals over failures are too narrow. */
  groups: number;
  /** Paid for by the critic: model calls and tokens of re-runs. */
  cost: { modelCalls: number; tokens: number };
}

export interface FaultLabReport {
  schema: typeof FAULT_LAB_SCHEMA;
  kinds: Record<FaultSplit, string[]>;
  results: FaultLabResult[];
}

const SPLITS = ['development', 'heldOut'] as const;
/** Where each split's tasks begin in a scenario's stream. */
const FIRST_TASK: Readonly<Record<FaultSplit, number>> = { development: 0, heldOut: 5000 };

/**
 * Failures of one split: of every mutation that costs something, and of the agent itself under the intact harnesses. Rejects with AbortedError when the signal
 * fires.
 */
export async function faultGroups(split: FaultSplit, options: FaultLabOptions): Promise<LabGroup[]> {
  const groups: LabGroup[] = [];
  for (const scenario of LAB_SCENARIOS[split]) {
    const tasksFrom = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => scenario.task(FIRST_TASK[split] + first + index));
    const rollOut = scriptedRollOut(scenario, labModel(scenario));
    const collect = { rollOut, tasks: tasksFrom(0, options.tasks), mostFailures: options.failures };
    const intact = await rollOut(scenario.harness, collect.tasks);
    const foreign = foreignTo(scenario).harness;
    for (const mutation of allMutations(FAULT_CATALOGUES[split], scenario, { ...options, foreign })) {
      await breathe(options.signal);
      const group = await mutationGroup(scenario, mutation, intact, collect);
      if (group.failures.length > 0) groups.push(group);
    }
    // The agent errs far less often than a broken harness makes it fail, so that it needs more tasks to be weighed as well.
    const wide = tasksFrom(options.tasks, options.tasks * AGENT_TASKS);
    groups.push(agentErrorGroup(scenario, await rollOut(scenario.harness, wide), wide));
  }
  return groups;
}

const AGENT_TASKS = 10;

/** A scripted model answers at once: without a pause no signal would ever be heard. */
async function breathe(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  if (signal?.aborted) throw new AbortedError();
}

/** Every critic on every split, alone and with replay, and the two baselines. Deterministic given the options. */
export async function runFaultLab(options: FaultLabOptions): Promise<FaultLabReport> {
  const { critics = [evidenceCritic], splits = SPLITS, actor, onProgress = () => {} } = options;
  // The baselines know the development split, whatever is asked for.
  onProgress(
    actor === undefined ? 'collecting failures: development' : 'what the baselines know: scripted, development',
  );
  const development = await faultGroups('development', options);
  const usual = usualCauses(development);
  const groupsOf = async (split: FaultSplit): Promise<LabGroup[]> => {
    if (actor === undefined && split === 'development') return development;
    onProgress(`collecting failures: ${split}`);
    return actor === undefined
      ? faultGroups(split, options)
      : realFaultGroups(split, actor, { ...options, onProgress });
  };
  const results: FaultLabResult[] = [];
  for (const split of splits) {
    const own = await groupsOf(split);
    const judge = async (
      critic: string,
      replay: boolean,
      attribute: (group: LabGroup) => AttributedGroup | Promise<AttributedGroup>,
    ) => {
      onProgress(`${critic}${replay ? ' with replay' : ''}: ${split}`);
      const by = actor === undefined ? 'scripted' : 'real';
      results.push({ critic, replay, actor: by, split, ...(await judged(own, attribute)) });
    };
    for (const critic of critics) {
      await judge(critic.name, false, (group) => attributeAlone(critic, group));
      await judge(critic.name, true, (group) =>
        attributeWithReplay(critic, group, {
          stage: actor?.stage ?? { model: labModel(group.scenario), clock: manualClock() },
          patches: options.patches,
          cases: options.failures,
          samples: options.samples,
          against: 'placebo',
        }),
      );
    }
    await judge('commonest-label', false, (group) => attributeCommonest(group, usual.commonest));
    await judge('random', false, (group) => attributeAtRandom(group, usual.components));
  }
  const kinds = { development: kindNames('development'), heldOut: kindNames('heldOut') };
  return { schema: FAULT_LAB_SCHEMA, kinds, results };
}

async function judged(
  groups: readonly LabGroup[],
  attribute: (group: LabGroup) => AttributedGroup | Promise<AttributedGroup>,
): Promise<AttributionScore & Pick<FaultLabResult, 'cost' | 'groups'>> {
  const parts: AttributedGroup[] = [];
  for (const group of groups) parts.push(await attribute(group));
  const cost = {
    modelCalls: parts.reduce((sum, part) => sum + part.cost.modelCalls, 0),
    tokens: parts.reduce((sum, part) => sum + part.cost.tokens, 0),
  };
  const judgedGroups = groups.filter(({ failures }) => failures.length > 0).length;
  return { ...scoreAttributions(parts.flatMap(({ attributed }) => attributed)), groups: judgedGroups, cost };
}

/** What the baselines know: the development split's commonest label, and the component that each label mostly goes with. */
function usualCauses(groups: readonly LabGroup[]): {
  commonest: { label: AttributionLabel; component: ComponentKind | null };
  components: Map<AttributionLabel, ComponentKind | null>;
} {
  const byLabel = Map.groupBy(groups, ({ truth }) => truth.label);
  const size = (some: readonly LabGroup[]) => some.reduce((sum, { failures }) => sum + failures.length, 0);
  const components = new Map(
    [...byLabel].map(([label, members]) => {
      const byComponent = [...Map.groupBy(members, ({ truth }) => truth.component)];
      const [component = null] = byComponent.sort(([, a], [, b]) => size(b) - size(a))[0] ?? [];
      return [label, component] as const;
    }),
  );
  const [label = 'agent_error'] = [...byLabel].sort(([, a], [, b]) => size(b) - size(a))[0] ?? [];
  return { commonest: { label, component: components.get(label) ?? null }, components };
}
