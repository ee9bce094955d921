import { beforeAll, describe, expect, it } from 'vitest';
import { manualClock } from '../../base/clock.ts';
import type { Harness } from '../../harness/harness.ts';
import type { Task } from '../../task/task.ts';
import { isSuccess } from '../../trajectory/is-success.ts';
import type { Trajectory } from '../../trajectory/trajectory.ts';
import { type LabGroup, scriptedRollOut } from './collect-failures.ts';
import { labModel } from './lab-model.ts';
import { LEAST_LOSS } from './mutation/mutation.ts';
import {
  costlyRollouts,
  mutationsOfRun,
  passRate,
  type RealActor,
  realFaultGroups,
  scenarioOfRun,
} from './real-actor.ts';
import { runFaultLab } from './run-fault-lab.ts';
import { workshop } from './scenarios/workshop.ts';

const tasksFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => workshop.task(first + index));
const train = tasksFrom(0, 20);
const model = labModel(workshop);
const actor: RealActor = {
  // The scripted actor of the workshop plays the run's model: it needs its own scenario's name and mind.
  scenario: scenarioOfRun(workshop, train),
  tasks: tasksFrom(100, 50),
  isBest: true,
  rollOut: scriptedRollOut(workshop, model),
  stage: { model, clock: manualClock() },
};
const choice = { perKind: 1, seed: 1 };

describe('a run’s φ as a scenario', () => {
  it('repeats its train tasks as an endless stream', () => {
    expect([0, 19, 20].map((index) => actor.scenario.task(index))).toEqual([train[0], train[19], train[0]]);
  });
});

const intact = () => actor.rollOut(workshop.harness, actor.tasks);

describe('failures under a real actor', () => {
  let groups: LabGroup[];
  beforeAll(async () => {
    groups = await realFaultGroups('development', actor, { ...choice, failures: 8 });
  }, 120_000);

  it('come from mutations that cost enough, gains set off, and from those alone', async () => {
    const before = passRate(await intact());
    const losses = new Map<string, number>();
    for (const { kind, harness } of mutationsOfRun(actor.scenario, 'development', choice)) {
      losses.set(kind, before - passRate(await actor.rollOut(harness, actor.tasks)));
    }
    const costly = [...losses].filter(([, loss]) => loss >= LEAST_LOSS).map(([kind]) => kind);
    expect(costly.length).toBeGreaterThan(3);
    expect(costly.length).toBeLessThan(losses.size);
    const found = groups.flatMap(({ mutation }) => mutation?.kind ?? []);
    // Sized by the window of the lab's own model, it would fill no other: its truth would be a wrong one.
    expect([...losses.keys()]).not.toContain('examples fill the window');
    // One that shows no loss on the first tasks is not tried on all of them.
    expect(costly).toEqual(expect.arrayContaining(found));
    expect(found.length).toBeGreaterThan(costly.length / 2);
  });

  it('are of tasks that the working φ passes', async () => {
    const passed = new Set((await intact()).filter(isSuccess).map(({ taskId }) => taskId));
    const broken = groups.filter(({ mutation }) => mutation !== null);
    expect(broken.flatMap(({ failures }) => failures).every(({ task }) => passed.has(task.id))).toBe(true);
  });

  it('are the agent’s own where the working φ fails', async () => {
    const failed = (await intact()).filter((rollout) => !isSuccess(rollout)).map(({ taskId }) => taskId);
    expect(failed.length).toBeGreaterThan(0);
    const own = groups.at(-1);
    expect(own).toMatchObject({ mutation: null, truth: { label: 'agent_error', component: null } });
    expect(own?.failures.map(({ task }) => task.id)).toEqual(failed);
  });
});

describe('failures of a φ that is not the best one found', () => {
  it('are nobody’s: only mutations have a known cause', async () => {
    const [first, ...others] = await realFaultGroups(
      'development',
      { ...actor, isBest: false, tasks: actor.tasks.slice(0, 20) },
      { ...choice, failures: 2 },
    );
    expect([first, ...others].every((group) => group?.mutation !== null)).toBe(true);
  });

  it('are said to show nothing where no mutation costs anything', async () => {
    const said: string[] = [];
    const [fails] = (await intact()).filter((rollout) => !isSuccess(rollout));
    const rollOut = async (_: Harness, some: readonly Task[]) => some.map(() => fails as Trajectory);
    const found = await realFaultGroups(
      'development',
      { ...actor, isBest: false, rollOut },
      { ...choice, failures: 2, onProgress: (text) => said.push(text) },
    );
    expect(found).toEqual([]);
    expect(said.at(-1)).toContain('no mutation costs 20% of the tasks');
  });
});

describe('the loss of a mutation', () => {
  /** Counts what is paid; passes the tasks that `passes` says. */
  const acting = async (share: number, count: number) => {
    const tasks = tasksFrom(200, count);
    const passing = (await actor.rollOut(workshop.harness, tasks)).filter(isSuccess)[0];
    if (passing === undefined) throw new Error('the actor passes nothing');
    const failing = { ...passing, outcome: { kind: 'scored', score: 0, extracted: null, why: 'broken' } } as const;
    let paid = 0;
    const rollOut = async (_: Harness, some: readonly Task[]) => {
      paid += some.length;
      return some.map((_task, index) => (index % 10 < share * 10 ? failing : passing));
    };
    const [mutation] = mutationsOfRun(actor.scenario, 'development', choice);
    if (mutation === undefined) throw new Error('no mutation');
    const rollouts = await costlyRollouts(mutation, Array(count).fill(passing), { tasks, rollOut });
    return { rollouts: rollouts?.length ?? null, paid };
  };

  it('is enough from a fifth of the tasks on', async () => {
    expect(await acting(0.2, 20)).toEqual({ rollouts: 20, paid: 20 });
    expect(await acting(0.1, 20)).toEqual({ rollouts: null, paid: 20 });
  });

  it('is looked for on forty tasks before the others are paid for', async () => {
    expect(await acting(0.1, 60)).toEqual({ rollouts: null, paid: 40 });
    expect(await acting(0.2, 60)).toEqual({ rollouts: 60, paid: 100 });
  });
});

describe('the fault lab with a real actor', () => {
  it('reports its rows apart, with and without replay', async () => {
    const options = { ...choice, tasks: 4, failures: 6, patches: 1, samples: 1 };
    const few = { ...actor, tasks: actor.tasks.slice(0, 20) };
    const { results } = await runFaultLab({ ...options, splits: ['development'], actor: few });
    expect(results.map((row) => [row.actor, row.replay, row.n > 0, row.groups > 1])).toEqual([
      ['real', false, true, true],
      ['real', true, true, true],
      ['real', false, true, true],
      ['real', false, true, true],
    ]);
  }, 240_000);
});
