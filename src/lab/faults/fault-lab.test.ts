import { describe, expect, it } from 'vitest';
import { evidenceCritic } from '../../critic/evidence-critic.ts';
import { applyEdits } from '../../harness/apply-patch.ts';
import type { GenerationRequest } from '../../model/model-backend.ts';
import { isSuccess } from '../../trajectory/is-success.ts';
import { modelCalls } from '../../trajectory/model-calls.ts';
import { scriptedActor } from './actor/scripted-actor.ts';
import { mutationGroup, rollOutTask, scriptedRollOut } from './collect-failures.ts';
import { FAULT_CATALOGUES, kindNames } from './fault-catalogues.ts';
import { labModel } from './lab-model.ts';
import { allMutations } from './mutation/all-mutations.ts';
import { runResamplingSuite } from './resampling-suite.ts';
import { faultGroups, runFaultLab } from './run-fault-lab.ts';
import { desk } from './scenarios/desk.ts';
import type { LabScenario } from './scenarios/lab-scenario.ts';
import { foreignTo, LAB_SCENARIOS } from './scenarios/lab-scenarios.ts';
import { orders } from './scenarios/orders.ts';
import { workshop } from './scenarios/workshop.ts';
import { type Attributed, scoreAttributions } from './score-attributions.ts';

const tasksOf = (scenario: LabScenario, count: number) =>
  Array.from({ length: count }, (_, index) => scenario.task(index));

describe('the working harnesses', () => {
  it.each(LAB_SCENARIOS.development)(
    'let the scripted actor pass at least 80% of the tasks ($name)',
    async (scenario) => {
      const rollouts = await scriptedRollOut(scenario, labModel(scenario))(scenario.harness, tasksOf(scenario, 60));
      expect(rollouts.filter(isSuccess).length).toBeGreaterThanOrEqual(48);
    },
  );
});

describe('the scripted actor', () => {
  it('goes by the request alone: the same request gets the same reply, whatever was asked before', async () => {
    const requests: GenerationRequest[] = [];
    for (const task of tasksOf(orders, 4)) {
      const rollout = await rollOutTask(orders, orders.harness, labModel(orders), task);
      requests.push(...modelCalls(rollout));
    }
    const forward = requests.map(scriptedActor(orders.mind));
    const backward = [...requests].reverse().map(scriptedActor(orders.mind)).reverse();
    expect(backward).toEqual(forward);
  });

  it('writes calls in the form that the prompt shows', async () => {
    const shown = workshop.harness.prompts.system ?? '';
    const other = applyEdits(workshop.harness, [
      { path: 'prompts/system.md', old: shown, value: shown.replace(/<call>(.*)<\/call>/, '<use>$1</use>') },
    ]);
    const [first] = modelCalls(await rollOutTask(workshop, other, labModel(workshop), workshop.task(0)));
    expect(first?.text).toMatch(/<use>.*<\/use>/);
  });

  it('obeys the schema that it is offered', async () => {
    const renamed = applyEdits(workshop.harness, [
      {
        path: 'tools/calculator/tool.yaml#/parameters',
        old: workshop.harness.tools[0]?.parameters,
        value: { type: 'object', properties: { formula: { type: 'string' } }, required: ['formula'] },
      },
    ]);
    const rollout = await rollOutTask(workshop, renamed, labModel(workshop), workshop.task(0));
    expect(JSON.stringify(rollout.events)).toContain('"formula"');
  });

  it('forgets what is no longer in the request', async () => {
    const short = applyEdits(orders.harness, [{ path: 'memory.yaml#/historyTokens', old: 260, value: 40 }]);
    const rollout = await rollOutTask(orders, short, labModel(orders), orders.task(0));
    const asked = modelCalls(rollout).map(({ text }) => text);
    expect(new Set(asked).size).toBeLessThan(asked.length);
    expect(isSuccess(rollout)).toBe(false);
  });
});

describe('mutations', () => {
  it('are of other kinds in the held-out split than in development', () => {
    expect(kindNames('heldOut').filter((name) => kindNames('development').includes(name))).toEqual([]);
  });

  it('break something for at least three hand-made kinds of each label', () => {
    const made = Object.values(FAULT_CATALOGUES).flatMap(({ kinds, handMade }) => {
      expect(Object.keys(handMade).sort()).toEqual(kinds.handMade.map(({ name }) => name).sort());
      return kinds.handMade;
    });
    const counts = Map.groupBy(made, ({ label }) => label);
    expect([...counts.values()].every((kinds) => kinds.length >= 3)).toBe(true);
    expect(counts.size).toBe(5);
  });

  it.each(['development', 'heldOut'] as const)('exist for every kind in some working harness (%s)', (split) => {
    const found = LAB_SCENARIOS[split].flatMap((scenario) =>
      allMutations(FAULT_CATALOGUES[split], scenario, { foreign: foreignTo(scenario).harness, perKind: 1, seed: 1 }),
    );
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(kindNames(split)));
  });

  it('count as the cause of a failure only where the intact harness passes the task', async () => {
    const rollOut = scriptedRollOut(desk, labModel(desk));
    const collect = { rollOut, tasks: tasksOf(desk, 40), mostFailures: 100 };
    const intact = await rollOut(desk.harness, collect.tasks);
    const [mutation] = allMutations(FAULT_CATALOGUES.development, desk, {
      foreign: workshop.harness,
      perKind: 1,
      seed: 1,
    }).filter(({ kind }) => kind === 'examples fill the window');
    if (mutation === undefined) throw new Error('the kind is missing');
    const group = await mutationGroup(desk, mutation, intact, collect);
    expect(intact.every(isSuccess)).toBe(false);
    expect(group.failures.map(({ task }) => task.id)).toEqual(intact.filter(isSuccess).map(({ taskId }) => taskId));
  });
});

describe('the score of a critic', () => {
  const one = (truth: Attributed['truth'], label: Attributed['label'], isPatched = false): Attributed => ({
    truth,
    label,
    component: label === truth.label ? truth.component : null,
    isPatched,
  });
  const tool = { label: 'tool_schema_error', component: 'tool' } as const;
  const own = { label: 'agent_error', component: null } as const;

  it('counts an undecided failure as missed, and a patch on an agent error as harm', () => {
    const score = scoreAttributions([
      one(tool, 'tool_schema_error', true),
      one(tool, null),
      one(own, 'agent_error'),
      one(own, 'tool_schema_error', true),
    ]);
    expect(score).toMatchObject({
      macroF1: (0.5 + 2 / 3) / 2,
      abstained: 0.25,
      agentErrorPatched: 0.5,
      componentAccuracy: 0.5,
    });
  });

  it('has no precision for a label that was never given and no recall for one that never was true', () => {
    const { labels } = scoreAttributions([one(tool, null)]);
    expect(labels.find(({ label }) => label === 'tool_schema_error')).toMatchObject({
      precision: null,
      recall: 0,
      n: 1,
    });
    expect(labels.find(({ label }) => label === 'skill_missing')).toMatchObject({
      precision: null,
      recall: null,
      n: 0,
    });
  });
});

describe('the fault lab', () => {
  const small = { seed: 1, perKind: 1, tasks: 8, failures: 6, patches: 1, samples: 1 };

  it('reports critics with and without replay beside two baselines, the same at every run', async () => {
    const report = await runFaultLab({ ...small, splits: ['development'] });
    expect(report.results.map(({ critic, replay }) => [critic, replay])).toEqual([
      [evidenceCritic.name, false],
      [evidenceCritic.name, true],
      ['commonest-label', false],
      ['random', false],
    ]);
    expect(await runFaultLab({ ...small, splits: ['development'] })).toEqual(report);
  }, 240_000);

  it('stops between two mutations when it is told to, though its model never waits', async () => {
    const stopping = faultGroups('development', { ...small, tasks: 200, signal: AbortSignal.timeout(50) });
    await expect(stopping).rejects.toMatchObject({ code: 'aborted' });
  }, 60_000);

  it('confirms no cause among failures that another sample cures, and many without the placebo arm', async () => {
    const { results } = await runResamplingSuite({ batches: 8, failures: 16, cases: 10, patches: 1, samples: 2 });
    const [placebo, record] = results;
    expect(placebo?.confirmed).toBe(0);
    expect(record?.share).toBeGreaterThan(0.25);
  }, 240_000);
});
