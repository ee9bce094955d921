import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { type Journal, memoryJournal } from '../base/journal.ts';
import type { Harness } from '../harness/harness.ts';
import type { Version } from '../registry/version.ts';
import type { Task } from '../task/task.ts';
import { gateGroups } from './draw-tasks.ts';
import { alphaOfNextDecision } from './error-shares.ts';
import { secondsPerRollout } from './pair-rates.ts';
import { runConfigSchema } from './run-config.ts';
import type { RunContext } from './run-context.ts';
import { gateGroupsFor, phaseSeconds, planOnce, rolloutsFor } from './size-plan.ts';

/** How a search divides what it has: error, gate tasks and time. */
const settings = {
  name: 'search',
  model: { source: 'file:none' },
  tasks: { path: 'none' },
  verifier: { kind: 'numeric' },
  budget: { time: 1000 },
};

function contextOf(
  changes: {
    config?: Record<string, unknown>;
    gate?: Task[];
    versions?: Partial<Version>[];
    secondsPerRollout?: number;
    secondsByPair?: Record<string, number>;
    journal?: Journal;
  } = {},
): RunContext {
  return {
    config: runConfigSchema.parse({ ...settings, ...changes.config }),
    seed: 1,
    splits: { train: [], gate: changes.gate ?? [], test: [] },
    registry: {
      versions: async () => (changes.versions ?? []).map((version) => ({ seed: 1, decision: {}, ...version })),
    },
    throughput: {
      secondsPerRollout: changes.secondsPerRollout ?? 1,
      tokensPerRollout: 1,
      secondsPerTrainingRow: 1,
      secondsByPair: changes.secondsByPair ?? {},
    },
    journal: changes.journal ?? memoryJournal(),
    clock: { now: () => 0 },
    startedAt: 0,
    secondsSpentBefore: 0,
  } as unknown as RunContext;
}

function tasks(groups: number, perGroup: number): Task[] {
  return Array.from({ length: groups * perGroup }, (_, index) => {
    const problem = `problem ${index}`;
    return { id: `t${index}`, problem, answer: '1', hash: contentHash(problem), group: `g${index % groups}` };
  });
}

const refused = (kind: 'harness' | 'weights') => ({ kind, accepted: false });
const better = (kind: 'harness' | 'weights') => ({ kind, accepted: true });

describe('rollouts that fit into a time', () => {
  const harness = { hash: contentHash('harness') } as Harness;
  const model = { base: contentHash('base'), adapter: null };

  it('are counted by the rate of the pair that will be rolled out, not by what a batch with slower pairs took last', () => {
    const context = contextOf({ secondsPerRollout: 2, secondsByPair: { [`${harness.hash} null`]: 0.5 } });
    const fitting = (of: Harness) => rolloutsFor(context, 100, 1, 1000, secondsPerRollout(context, of, model));
    expect(fitting(harness)).toBe(200);
    expect(fitting({ hash: contentHash('another') } as Harness)).toBe(50);
    expect(rolloutsFor(context, 100, 1, 1000)).toBe(50);
  });

  it('are counted by that rate after a restart too: a step planned before it brings the rates it was planned from', async () => {
    const journal = memoryJournal();
    const first = contextOf({ journal, secondsPerRollout: 2, secondsByPair: { [`${harness.hash} null`]: 0.5 } });
    await planOnce(first, { phase: 'harness' }, () => ({ tasks: 8 }));
    const resumed = contextOf({ journal });
    expect(await planOnce(resumed, { phase: 'harness' }, () => ({ tasks: 99 }))).toMatchObject({ tasks: 8 });
    expect(secondsPerRollout(resumed, harness, model)).toBe(0.5);
  });
});

describe('error of a search', () => {
  it('leaves new weights their share however many diffs were refused before', async () => {
    const alpha = (versions: Partial<Version>[]) => alphaOfNextDecision(contextOf({ versions }), 'weights');
    expect(await alpha([])).toBeCloseTo(0.05 / 2 / 2, 12);
    expect(await alpha(Array.from({ length: 9 }, () => refused('harness')))).toBe(await alpha([]));
    expect(await alpha([better('weights')])).toBeCloseTo(2 * (await alpha([])), 12);
  });

  it('never hands out more than alpha, whatever both halves refuse', async () => {
    const versions: Partial<Version>[] = [];
    let spent = 0;
    for (const kind of ['harness', 'harness', 'weights', 'harness', 'weights', 'harness', 'harness'] as const) {
      spent += await alphaOfNextDecision(contextOf({ versions: [...versions] }), kind);
      versions.push(refused(kind));
    }
    expect(spent).toBeLessThanOrEqual(0.05);
  });

  it('is not halved where only one half of the search runs, and decisions of other seeds do not count', async () => {
    const versions = Array.from({ length: 5 }, () => ({ ...refused('harness'), seed: 2 }));
    expect(await alphaOfNextDecision(contextOf({ config: { only: 'harness' }, versions }), 'harness')).toBeCloseTo(
      0.025,
      12,
    );
    expect(await alphaOfNextDecision(contextOf({ versions }), 'harness')).toBeCloseTo(0.0125, 12);
  });
});

describe('tasks of a gate', () => {
  const sizes = (groups: number, perGroup: number) =>
    gateGroups(contextOf({ gate: tasks(groups, perGroup) })).map((group) => group.length);

  it('are at most two of a group where groups are many, and up to eight where they are few', () => {
    expect(new Set(sizes(200, 3))).toEqual(new Set([2]));
    expect(new Set(sizes(48, 9))).toEqual(new Set([5]));
    expect(new Set(sizes(10, 20))).toEqual(new Set([8]));
  });

  it('are at least 120 in a hurry, and all of them where there is time', () => {
    const context = contextOf({ gate: tasks(48, 9) });
    expect(gateGroupsFor(context, 0, 1)).toBe(24);
    expect(gateGroupsFor(contextOf({ gate: tasks(10, 9) }), 0, 1)).toBe(10);
    expect(gateGroupsFor(context, 1e6, 1)).toBe(48);
    expect(gateGroupsFor(contextOf({ gate: tasks(200, 1) }), 0, 1)).toBe(120);
  });

  it('are 240 where that takes no more than three times the share of the gate: undecided it would have cost its rollouts for nothing', () => {
    const context = contextOf({ gate: tasks(400, 1) });
    expect(gateGroupsFor(context, 80, 1)).toBe(240);
    expect(gateGroupsFor(context, 60, 1)).toBe(180);
    expect(gateGroupsFor(context, 300, 1)).toBe(300);
  });
});

describe('time of a phase', () => {
  it('keeps back what a sealed test of given size will take, at most a quarter', () => {
    const sized = { sizes: { testTasks: 50, testRepeats: 1 } };
    // 50 tasks × 3 pairs × 1 s of 1000 s; a slow first measurement must not eat the run.
    expect(phaseSeconds(contextOf({ config: { rounds: 1, ...sized } }), 1, 'weights')).toBeCloseTo(850, 6);
    expect(
      phaseSeconds(contextOf({ config: { rounds: 1, ...sized }, secondsPerRollout: 60 }), 1, 'weights'),
    ).toBeCloseTo(750, 6);
  });
});
