import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../base/random.ts';
import { isAccepted } from '../../gate/decision.ts';
import { judge, type PairedOutcome } from '../../gate/judge.ts';
import { planGate } from '../../gate/plan-gate.ts';
import { SequentialDecision } from '../../gate/sequential-decision.ts';
import { fixedSizeGroups, waldShares } from './fixed-size-comparison.ts';
import { labCell } from './lab-cells.ts';
import { registerLabGateCommand } from './lab-gate-command.ts';
import { labGoals } from './lab-goals.ts';
import { runGateLab } from './run-gate-lab.ts';
import { runLabCell } from './run-lab-cell.ts';
import { childRates, IterationRollouts, SIMULATED_WORLDS, seedRates } from './simulated-world.ts';

const WORLD = SIMULATED_WORLDS[0] as (typeof SIMULATED_WORLDS)[number];

describe('lab gate', () => {
  it('keeps null searches within the error allowed, where the paper’s rule does not', () => {
    const searches = 300;
    for (const world of ['even', 'heterogeneous', 'clustered']) {
      expect(runLabCell(labCell({ world, candidates: 3 }), searches, 4).lower95).toBeLessThan(0.05);
    }
    expect(runLabCell(labCell({ rule: 'paper' }), searches, 4).rate).toBeGreaterThan(0.6);
  });

  it('finds +10 pp within its budget, and almost never accepts a loss of 5 pp', () => {
    expect(runLabCell(labCell({ effect: 0.1 }), 200, 4).rate).toBeGreaterThan(0.9);
    expect(runLabCell(labCell({ effect: -0.05 }), 200, 4).accepted).toBe(0);
    expect(runLabCell(labCell({ effect: -0.05, goal: 'not-worse' }), 200, 4).accepted).toBeLessThanOrEqual(3);
  });

  it('measures a diff at the error it has in a run: the fifth after four refused ones is found less often than the first', () => {
    const [first, fifth] = [1, 5].map((decision) => runLabCell(labCell({ effect: 0.1, decision }), 300, 4));
    expect(first?.lower95).toBeGreaterThan(fifth?.upper95 ?? 1);
    expect(fifth?.rate).toBeGreaterThan(0.5);
    expect(runLabCell(labCell({ decision: 1 }), 300, 4).lower95).toBeLessThan(0.025);
  });

  it('decides like judge does on the very same rollouts', async () => {
    const repeats = 2;
    const plan = planGate({ groups: 80, repeats, alpha: 0.05, margin: 0.05 });
    for (let seed = 0; seed < 20; seed++) {
      const random = seededRandom(seed);
      const pairs = Array.from({ length: plan.groups }, (_, group): PairedOutcome[] => {
        const rate = random.next() * 0.6;
        const pass = (chance: number) => (random.next() < chance ? 1 : 0);
        return Array.from({ length: repeats }, (_, repeat) => ({
          task: `t${group}`,
          group: `g${group}`,
          repeat,
          parent: pass(rate),
          child: pass(rate + (seed % 3) * 0.15),
          parentTokens: 1,
          childTokens: 1,
          targeted: false,
        }));
      });
      const decision = await judge({
        plan,
        rule: 'betting',
        alpha: plan.alpha,
        margin: plan.margin,
        kind: { relaxes: [], deletion: false, speed: false },
        drawBatch: async (from, to) => pairs.slice(from, to).flat(),
        seen: () => ({ alive: true, why: '' }),
      });
      const sequence = new SequentialDecision({
        ...plan,
        margin: plan.marginTested,
        marginAsked: plan.margin,
        goal: 'improvement',
      });
      let state = sequence.state();
      for (const batch of plan.batches) {
        for (const group of pairs.slice(sequence.groups, sequence.groups + batch)) {
          const difference =
            group.reduce((sum, pair) => sum + (pair.child as number) - (pair.parent as number), 0) / repeats;
          sequence.add(difference, Number.NaN, difference, 1);
        }
        state = sequence.state();
        if (state !== 'open') break;
      }
      expect([isAccepted(decision.verdict), decision.groups]).toEqual([state === 'improved', sequence.groups]);
    }
  });

  it('gives the same numbers on one thread and on two', async () => {
    const options = { world: 'coupled', candidates: 2, searches: 20, seed: 3 };
    const [one, two] = await Promise.all([
      runGateLab({ ...options, threads: 1 }),
      runGateLab({ ...options, threads: 2 }),
    ]);
    expect(two.cells).toEqual(one.cells);
    const worlds = await runGateLab({ effect: 0.1, searches: 5, threads: 2 });
    expect(worlds.cells.map((cell) => cell.world)).toEqual(SIMULATED_WORLDS.map((world) => world.name));
  });

  it('says which goals its results meet, within what budget, and never misses one for want of searches', async () => {
    const { goals } = await runGateLab({ world: 'even', effect: 0.1, candidates: 1, searches: 200, threads: 1 });
    expect(goals).toMatchObject([
      { goal: '+10.0 pp found, K = 1', required: { atLeast: 0.9 }, cells: 1, verdict: 'met' },
    ]);
    expect(goals[0]?.budget).toMatch(/^200 groups × 4 repeats × 2 arms = 1600 rollouts/);
    const cell = (rate: number, lower95: number, upper95: number) => ({
      ...runLabCell(labCell({}), 1, 1),
      ...{ rate, lower95, upper95 },
    });
    const verdict = (result: ReturnType<typeof cell>) =>
      labGoals({ cells: [result], comparisons: [], drift: null }, 0.05)[0]?.verdict;
    expect(verdict(cell(0.03, 0.02, 0.04))).toBe('met');
    expect(verdict(cell(0.03, 0.01, 0.08))).toBe('undecided');
    expect(verdict(cell(0.09, 0.07, 0.11))).toBe('missed');
    const paper = runLabCell(labCell({ rule: 'paper' }), 20, 1);
    expect(labGoals({ cells: [paper], comparisons: [], drift: null }, 0.05)).toEqual([]);
  });

  it('refuses an unknown world and impossible numbers', async () => {
    await expect(runGateLab({ world: 'flat' })).rejects.toMatchObject({ code: 'unknown-world' });
    await expect(runGateLab({ searches: 0 })).rejects.toMatchObject({ code: 'invalid-lab' });
    await expect(runGateLab({ effect: 0.9 })).rejects.toMatchObject({ code: 'invalid-lab' });
    await expect(runGateLab({ decision: 1_000_000_000, searches: 2 })).rejects.toMatchObject({ code: 'invalid-lab' });
  });

  it('prints the agreed JSON for a chosen cell', async () => {
    let printed = '';
    const program = new Command();
    registerLabGateCommand(program, { write: (text) => (printed += text) });
    const cell = [
      '--rule',
      'mean',
      '--effect',
      '0.05',
      '--candidates',
      '3',
      '--world',
      'easy',
      '--searches',
      '10',
      '--seed',
      '2',
    ];
    await program.parseAsync(['lab', 'gate', '--json', ...cell], { from: 'user' });
    const report = JSON.parse(printed);
    expect(report).toMatchObject({ schema: 'co-harness/gate-lab@1', alpha: 0.05, seed: 2 });
    expect(report.cells).toHaveLength(1);
    expect(report.cells[0]).toMatchObject({ rule: 'mean', world: 'easy', effect: 0.05, candidates: 3, searches: 10 });
    for (const name of ['accepted', 'rate', 'upper95', 'lower95', 'meanRollouts', 'p95Rollouts']) {
      expect(typeof report.cells[0][name]).toBe('number');
    }
  });
});

describe('simulated worlds', () => {
  it.each(SIMULATED_WORLDS.map((world) => [world.name, world] as const))(
    '%s: a diff has the mean effect it is said to have',
    (_, world) => {
      const random = seededRandom(8);
      const groups = 20_000;
      for (const effect of [0, 0.1, -0.05]) {
        const parent = seedRates(world, groups, random);
        const child = childRates(world, parent, effect, random);
        const rollouts = new IterationRollouts(world, parent, 2, random);
        let sum = 0;
        for (let group = 0; group < groups; group++) {
          const before = rollouts.parent(group);
          sum += rollouts.child(group, child.scoring[group] as number) - before;
        }
        expect(Math.abs(sum / groups - effect)).toBeLessThan(0.012);
      }
    },
  );

  it('candidates of an iteration meet the same parent rollouts', () => {
    const random = seededRandom(1);
    const parent = seedRates(WORLD, 50, random);
    const rollouts = new IterationRollouts(WORLD, parent, 4, random);
    const first = Array.from({ length: 50 }, (_, group) => rollouts.parent(group));
    expect(Array.from({ length: 50 }, (_, group) => rollouts.parent(group))).toEqual(first);
  });
});

describe('the fixed-size comparison', () => {
  it('agrees with the normal formula, and Wald’s bound with the textbook', () => {
    const settings = { effect: 0.1, alpha: 0.01, power: 0.9, repeats: 4, searches: 400, seed: 1, most: 250 };
    // (2.33 + 1.28)² × variance of a group's difference (about 0.087) / 0.1²
    const groups = fixedSizeGroups(WORLD, settings);
    expect(groups).toBeGreaterThan(95);
    expect(groups).toBeLessThan(140);
    expect(waldShares(0.05, 0.9).atEffect).toBeCloseTo(0.555, 2);
  });
});
