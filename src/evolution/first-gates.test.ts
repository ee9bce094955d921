import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import type { Task, TaskSplits } from '../task/task.ts';
import { alphaAfter, widestGate } from './error-shares.ts';
import { firstGates, firstGateText, splitsText } from './first-gates.ts';
import { leastConfig } from './run-config.fixture.ts';
import type { RunConfigInput } from './run-config.ts';

function tasks(groups: number, perGroup = 2): Task[] {
  return Array.from({ length: groups * perGroup }, (_, index) => {
    const problem = `problem ${index}`;
    return { id: `t${index}`, problem, answer: '1', hash: contentHash(problem), group: `g${index % groups}` };
  });
}

const splitsOf = (groups: number, perGroup?: number): TaskSplits => ({
  train: tasks(40),
  gate: tasks(groups, perGroup),
  test: tasks(1),
});
const needed = (changes: Partial<RunConfigInput>, groups: number) => {
  try {
    firstGates(leastConfig(changes), splitsOf(groups));
    return null;
  } catch (error) {
    return (error as { details: { needed: number } }).details.needed;
  }
};

describe('a run whose gate has too few groups', () => {
  it('is refused below the number that its first decision needs, and not at it', () => {
    const least = needed({}, 1) as number;
    expect(least).toBe(7);
    expect(needed({}, least - 1)).toBe(least);
    expect(needed({}, least)).toBeNull();
  });

  it('hears how many tasks and groups there are, how many are needed and what to do', () => {
    expect(() => firstGates(leastConfig(), splitsOf(3, 40))).toThrow(
      /120 tasks in 3 groups of near-copies, and at least 7 groups are needed \(gate\.rule betting.*larger gate split/s,
    );
  });

  it('needs fewer where one half alone has all of the error, and hears so where that would do', () => {
    const least = needed({ only: 'harness' }, 1) as number;
    expect(least).toBeLessThan(7);
    expect(() => firstGates(leastConfig(), splitsOf(least))).toThrow('--only harness');
    expect(() => firstGates(leastConfig(), splitsOf(least - 1))).not.toThrow(/--only/);
    expect(needed({ only: 'harness' }, least)).toBeNull();
  });

  it('is refused for its weights too, whose error is divided by the rounds', () => {
    expect(() => firstGates(leastConfig({ rounds: 20 }), splitsOf(7))).toThrow(/No gate of the weights/);
    expect(needed({ rounds: 20, only: 'harness' }, 7)).toBeNull();
  });

  it('is judged by its rule', () => {
    expect(needed({ gate: { rule: 'paper' } }, 1)).toBeNull();
    expect(needed({ gate: { rule: 'mean' } }, 1)).toBe(20);
  });

  it('is told to raise a size that it fixed itself', () => {
    expect(() => firstGates(leastConfig({ sizes: { gateGroups: 3 } }), splitsOf(50))).toThrow(
      /sizes\.gateGroups is 3.*Set sizes\.gateGroups to 7 or more/s,
    );
  });
});

describe('before anything is paid, a run says', () => {
  it('tasks and groups of each split', () => {
    expect(splitsText(splitsOf(3, 40))).toBe(
      'train 80 tasks in 40 groups, gate 120 tasks in 3 groups, sealed test 2 tasks in 1 group',
    );
  });

  it('the smallest effect that its first gate can see with all groups, by the numbers of the gate itself', () => {
    const [config, splits] = [leastConfig(), splitsOf(100, 1)];
    const plan = widestGate({ config, splits, seed: 5 }, alphaAfter(config, 'harness', []));
    expect(firstGateText(config, splits)).toBe(
      `the first harness gate, with all 100 groups, can see effects from +${(plan.minimumDetectableEffect * 100).toFixed(1)} pp on (4 times in 5); later ones less`,
    );
    expect(firstGateText(leastConfig({ only: 'weights' }), splits)).toContain('the first weights gate');
    expect(firstGateText(config, splitsOf(7))).toContain('no effect reliably');
  });

  it('what the README says of a run with 100, 200 and 400 gate groups', () => {
    const seen = (only: 'harness' | null) =>
      [100, 200, 400].map((groups) =>
        ((firstGates(leastConfig({ only }), splitsOf(groups, 1))[0]?.plan.minimumDetectableEffect ?? 0) * 100).toFixed(
          1,
        ),
      );
    const [both, alone] = [seen(null), seen('harness')];
    expect(readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')).toContain(
      `from ${both[0]} points with 100 groups, ${both[1]} with 200, ${both[2]} with 400; with \`--only harness\` ${alone[0]}, ${alone[1]} and ${alone[2]}`,
    );
  });

  it('never counts on more groups than there are', () => {
    const many = leastConfig({ sizes: { gateGroups: 500 } });
    expect(firstGates(many, splitsOf(60)).map(({ plan }) => plan.groups)).toEqual([60, 60]);
  });
});
