import { CoHarnessError } from '../base/errors.ts';
import { points } from '../base/share-text.ts';
import { fewestGroups, type GatePlan } from '../gate/plan-gate.ts';
import { SPLITS, type Task, type TaskSplits } from '../task/task.ts';
import { alphaAfter, type Half, mostGateGroups, widestGate } from './error-shares.ts';
import type { RunConfig } from './run-config.ts';

/** Groups do not depend on it, only their order does. */
const ANY_SEED = 1;

/**
 * The first gate of each half that runs, over all gate groups, as it is known before anything is paid. No later decision has more error unless one was
 * accepted before it, so where the first cannot be decided, none of its half can. Throws CoHarnessError `too-few-groups` for such a half, with the
 * number of groups needed (`details.needed`). Pure.
 */
export function firstGates(config: RunConfig, splits: TaskSplits): { half: Half; plan: GatePlan }[] {
  const halves: Half[] = config.only === null ? ['harness', 'weights'] : [config.only];
  return halves.map((half) => ({ half, plan: firstGate(config, splits, half) }));
}

function firstGate(config: RunConfig, splits: TaskSplits, half: Half): GatePlan {
  const search = { config, splits, seed: ANY_SEED };
  const alpha = alphaAfter(config, half, []);
  if (mostGateGroups(search) < fewestGroups(config.gate.rule, alpha)) throw noGateDecides(config, splits, half);
  return widestGate(search, alpha);
}

function noGateDecides(config: RunConfig, splits: TaskSplits, half: Half): CoHarnessError {
  const { gate, sizes, only } = config;
  const alpha = alphaAfter(config, half, []);
  const needed = fewestGroups(gate.rule, alpha);
  const groups = groupsIn(splits.gate);
  const isFixed = sizes.gateGroups !== null && sizes.gateGroups < groups;
  const isEnoughAlone =
    only === null && groups >= fewestGroups(gate.rule, alphaAfter({ ...config, only: half }, half, []));
  const has = isFixed
    ? `sizes.gateGroups is ${sizes.gateGroups}`
    : `the gate split has ${splits.gate.length} tasks in ${counted(groups, 'group')} of near-copies`;
  const remedy = isFixed
    ? `Set sizes.gateGroups to ${needed} or more.`
    : `Give tasks that are no near-copies of one another, or a larger gate split, until it holds ${needed} groups or more` +
      `${isEnoughAlone ? `; or run one half alone, --only ${half}, which has all of the error` : ''}.`;
  return new CoHarnessError(
    'too-few-groups',
    `No gate of the ${half} could decide anything: ${has}, and at least ${needed} groups are needed (gate.rule ${gate.rule}, error ` +
      `${alpha.toPrecision(2)} of gate.alpha ${gate.alpha} for one decision), even if every group went from all wrong to all right. ` +
      `Near-copies share their luck and count once. ${remedy}`,
    { details: { half, tasks: splits.gate.length, groups, needed, alpha } },
  );
}

function groupsIn(tasks: readonly Task[]): number {
  return new Set(tasks.map(({ group }) => group)).size;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** `train 125 tasks in 40 groups, gate …, sealed test …`. */
export function splitsText(splits: TaskSplits): string {
  const names = { train: 'train', gate: 'gate', test: 'sealed test' };
  return SPLITS.map((split) => {
    const own = splits[split];
    return `${names[split]} ${counted(own.length, 'task')} in ${counted(groupsIn(own), 'group')}`;
  }).join(', ');
}

/** Smallest effect that the first gate can see with all its groups, in one line. Throws as {@link firstGates} does. */
export function firstGateText(config: RunConfig, splits: TaskSplits): string {
  const [first] = firstGates(config, splits);
  if (first === undefined) return '';
  const { half, plan } = first;
  const effect =
    plan.minimumDetectableEffect >= 1
      ? 'no effect reliably'
      : `effects from +${points(plan.minimumDetectableEffect)} on (4 times in 5)`;
  return `the first ${half} gate, with all ${plan.groups} groups, can see ${effect}; later ones less`;
}
