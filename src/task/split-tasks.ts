import { contentHash } from '../base/content-hash.ts';
import { CoHarnessError } from '../base/errors.ts';
import { distinctTasks, withoutReference } from './distinct-tasks.ts';
import { SPLITS, type Split, type Task, type TaskRow, type TaskSplits } from './task.ts';

/**
 * Tasks in each split: whole numbers ≥ 1, met exactly, or shares in (0, 1) of all distinct tasks with a sum ≤ 1, met as
 * far as whole groups allow and never exceeded. `train: null` takes whatever the others leave; `test: 0` where the test
 * tasks come from elsewhere.
 */
export interface SplitSizes {
  train: number | null;
  gate: number;
  test: number;
  seed: number;
}

export interface SplitResult {
  splits: TaskSplits;
  /** Rows left out because another row has the same content. */
  copies: number;
  /** Tasks in no split: their group belongs to a split that is already full. */
  unused: number;
  /** Distinct groups of each split. */
  groups: Record<Split, number>;
}

/**
 * Most groups that `test` and `gate` may reserve, as a share of all, while the rest still fills the other splits. Where
 * groups are large, a split of n tasks is then drawn from many groups instead of a few whole ones: groups, not tasks,
 * are the independent evidence.
 */
const RESERVED_GROUPS: Readonly<Record<'test' | 'gate', number>> = { test: 0.25, gate: 0.3 };

/**
 * Splits tasks by cluster of near-duplicates: no cluster is in two splits. The outcome depends on the contents of the
 * tasks, the sizes and the seed; row order, ids and positions play no part. `test` does not move when only the sizes of
 * `gate` and `train` change (unless they need its spare groups).
 *
 * Within a split tasks are ordered so that each prefix holds as many groups as it can: first one task of every group,
 * then a second, … Tasks of `gate` and `test` carry no reference solution.
 *
 * Throws CoHarnessError `invalid-split-sizes`, and `split-too-small` with the number needed where a split cannot be
 * filled.
 */
export function splitTasks(rows: readonly TaskRow[], sizes: SplitSizes): SplitResult {
  const { tasks, copies } = distinctTasks(rows);
  const wanted = countsOf(sizes, tasks.length);
  const groups = groupsInSeededOrder(tasks, sizes.seed);
  // A group larger than a split would mostly lie idle there: it stays for train, unless the split cannot be filled otherwise.
  const attempts = [false, true].map((takeGiants) => chooseSplits(groups, tasks.length, wanted, takeGiants));
  const isFilled = ({ gate, test }: TaskSplits) => gate.length >= wanted.gate && test.length >= wanted.test;
  const chosen = attempts.find(isFilled) ?? (attempts.at(-1) as TaskSplits);
  for (const split of SPLITS) refuseTooSmall(split, chosen[split].length, wanted, tasks.length, groups.length);
  return {
    splits: { train: chosen.train, gate: chosen.gate.map(withoutReference), test: chosen.test.map(withoutReference) },
    copies,
    unused: tasks.length - SPLITS.reduce((sum, split) => sum + chosen[split].length, 0),
    groups: {
      train: groupCount(chosen.train),
      gate: groupCount(chosen.gate),
      test: groupCount(chosen.test),
    },
  };
}

function chooseSplits(groups: Task[][], available: number, wanted: Counts, takeGiants: boolean): TaskSplits {
  const pool = { groups, tasksLeft: available };
  const trainNeeds = wanted.train ?? 1;
  const fits = (split: 'test' | 'gate') => (group: readonly Task[]) => takeGiants || group.length <= wanted[split];
  const test = reserve(pool, 'test', wanted.test, wanted.gate + trainNeeds, groups.length, fits('test'));
  const gate = reserve(pool, 'gate', wanted.gate, trainNeeds, groups.length, fits('gate'));
  return {
    train: firstOfEachGroup(pool.groups).slice(0, wanted.train ?? undefined),
    gate: firstOfEachGroup(gate).slice(0, wanted.gate),
    test: firstOfEachGroup(test).slice(0, wanted.test),
  };
}

interface Counts {
  train: number | null;
  gate: number;
  test: number;
  areShares: boolean;
}

function countsOf({ train, gate, test }: SplitSizes, available: number): Counts {
  const given = [gate, ...(test === 0 ? [] : [test]), ...(train === null ? [] : [train])];
  if (given.every((size) => Number.isInteger(size) && size >= 1)) return { train, gate, test, areShares: false };
  const sum = given.reduce((total, size) => total + size, 0);
  if (!given.every((size) => size > 0 && size < 1) || sum > 1 + 1e-9) {
    throw new CoHarnessError(
      'invalid-split-sizes',
      `Split sizes train ${train}, gate ${gate}, test ${test} are neither whole numbers ≥ 1 nor shares in (0, 1) that add up ` +
        `to at most 1. Correct tasks.train, tasks.gate and tasks.test.`,
      { details: { train, gate, test } },
    );
  }
  const count = (share: number) => Math.max(1, Math.floor(share * available + 1e-9));
  return { train: train === null ? null : count(train), gate: count(gate), test: count(test), areShares: true };
}

/** Members by hash; groups by a hash of the seed and their first member, so that names of groups do not matter. */
function groupsInSeededOrder(tasks: readonly Task[], seed: number): Task[][] {
  const byGroup = new Map<string, Task[]>();
  for (const task of tasks) {
    const members = byGroup.get(task.group);
    if (members === undefined) byGroup.set(task.group, [task]);
    else members.push(task);
  }
  return [...byGroup.values()]
    .map((members) => ({
      members: members
        .map((task) => ({ task, rank: contentHash({ seed, task: task.hash }) }))
        .sort((a, b) => (a.rank < b.rank ? -1 : 1))
        .map(({ task }) => task),
      rank: contentHash({ seed, group: (members[0] as Task).hash }),
    }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ members }) => members);
}

/**
 * Takes groups out of the pool until they hold `wanted` tasks and, if there is room, are as many as the reserve allows.
 * A group that would leave fewer than `neededByOthers` tasks is passed over: a giant cluster ends in the largest split.
 */
function reserve(
  pool: { groups: Task[][]; tasksLeft: number },
  split: 'test' | 'gate',
  wanted: number,
  neededByOthers: number,
  allGroups: number,
  fits: (group: readonly Task[]) => boolean,
): Task[][] {
  const most = Math.min(wanted, Math.floor(RESERVED_GROUPS[split] * allGroups));
  const taken: Task[][] = [];
  const left: Task[][] = [];
  let takenTasks = 0;
  for (const group of pool.groups) {
    const isWanted = takenTasks < wanted || taken.length < most;
    if (isWanted && fits(group) && pool.tasksLeft - group.length >= neededByOthers) {
      taken.push(group);
      takenTasks += group.length;
      pool.tasksLeft -= group.length;
    } else {
      left.push(group);
    }
  }
  pool.groups = left;
  return taken;
}

function firstOfEachGroup(groups: readonly Task[][]): Task[] {
  const longest = groups.reduce((most, group) => Math.max(most, group.length), 0);
  return Array.from({ length: longest }, (_, turn) =>
    groups.flatMap((group) => (group[turn] === undefined ? [] : [group[turn]])),
  ).flat();
}

function groupCount(tasks: readonly Task[]): number {
  return new Set(tasks.map((task) => task.group)).size;
}

function refuseTooSmall(split: Split, got: number, wanted: Counts, available: number, groups: number): void {
  const needed = wanted.areShares ? 1 : (wanted[split] ?? 1);
  if (got >= needed) return;
  const total = wanted.gate + wanted.test + (wanted.train ?? 1);
  throw new CoHarnessError(
    'split-too-small',
    `The ${split} split gets ${got} task${got === 1 ? '' : 's'}, ${needed} needed. There are ${available} distinct tasks in ${groups} groups of near-copies, ` +
      `a group stays in one split, and train ${wanted.train ?? 'the rest'}, gate ${wanted.gate}, test ${wanted.test} were asked: ` +
      `at least ${total} tasks in 3 or more groups. Give more tasks or ask for smaller splits (tasks.train, tasks.gate, tasks.test).`,
    { details: { split, got, needed, available, groups } },
  );
}
