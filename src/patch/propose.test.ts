import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { seededRandom } from '../base/random.ts';
import type { AttributionLabel, Diagnosis } from '../critic/attribution.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import type { Harness } from '../harness/harness.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { type Task, taskHash } from '../task/task.ts';
import type { Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';
import { aggregate } from './aggregate.ts';
import { collectDemonstrations } from './demonstrations.ts';
import { editsHash } from './edits-hash.ts';
import type { ProposalContext } from './patch-operator.ts';
import { PATCH_OPERATORS } from './patch-operators.ts';
import { proposePatches } from './propose.ts';
import { randomPatches } from './random-patches.ts';

const TOOL =
  'parameters: {type: object, properties: {key: {type: string}}, required: [key]}\nbackend: {kind: record}\n';
const SEED = harnessFromFiles(
  new Map([
    ['harness.yaml', 'name: test\nprotocol:\n  dialect: {kind: json}\n'],
    [
      'prompts/system.md',
      'You answer questions.\n{{tools}}\nTo use it, reply with a JSON object like {"name": "lookup", "arguments": {"key": "..."}}.\nBe brief.\n',
    ],
    ['tools/lookup/tool.yaml', TOOL],
  ]),
);

function task(index: number, isSolved = true): Task {
  const row = {
    id: `task-${index}`,
    problem: `Question number ${index}: what is behind door ${index * 3}?`,
    answer: `${index * 7}`,
  };
  const reference = { calls: [{ tool: 'lookup', arguments: { key: index % 3 === 0 ? `door ${index}` : `${index}` } }] };
  return { ...row, ...(isSolved ? { reference } : {}), hash: taskHash(row), group: `g${index}` };
}

function diagnosis(
  mechanism: string,
  label: AttributionLabel = 'prompt_ambiguity',
  path: string | null = 'prompts/system.md',
): Diagnosis {
  return {
    rollout: mechanism,
    label,
    component: path === null ? null : 'prompt',
    path,
    mechanism,
    explanation: '',
    severity: 1,
    confidence: 0.8,
    evidence: [{ event: 'e0', quote: '' }],
  };
}

function context(harness: Harness, diagnoses: Diagnosis[], changes: Partial<ProposalContext> = {}): ProposalContext {
  return {
    harness,
    clusters: aggregate(diagnoses),
    trajectories: [],
    trainTasks: Array.from({ length: 60 }, (_, index) => task(index)),
    successes: [],
    random: seededRandom(7),
    refused: new Set(),
    ...changes,
  };
}

const noCalls = Array.from({ length: 8 }, () => diagnosis('no-call'));

describe('aggregate', () => {
  it('ranks by recurrence, severity, confidence and agreement, and keeps agent errors with weight 0', () => {
    const clusters = aggregate([
      ...noCalls,
      diagnosis('call-unreadable', 'tool_schema_error'),
      diagnosis('wrong-value', 'agent_error', null),
    ]);
    expect(clusters.map(({ mechanism, count }) => [mechanism, count])).toEqual([
      ['no-call', 8],
      ['call-unreadable', 1],
      ['wrong-value', 1],
    ]);
    expect(clusters[0]).toMatchObject({ recurrence: 0.8, agreement: 1, rollouts: Array(8).fill('no-call') });
    expect(clusters[2]?.weight).toBe(0);
  });

  it('counts a place that its own mechanism does not agree on for less', () => {
    const [first] = aggregate([diagnosis('no-call'), diagnosis('no-call', 'prompt_ambiguity', 'prompts/task.md')]);
    expect(first?.agreement).toBe(0.5);
  });

  it('gives an empty list for no diagnosis', () => expect(aggregate([])).toEqual([]));
});

describe('proposePatches', () => {
  it('answers "no call at all" with example sets of different sizes, in more than one dialect, with and without the tool value as answer', () => {
    const patches = proposePatches(context(SEED, noCalls), { count: 10 });
    const children = patches.map((patch) => applyEdits(SEED, patch.edits));
    expect(new Set(children.map(({ examples }) => examples.length)).size).toBeGreaterThanOrEqual(3);
    expect(new Set(children.map(({ settings }) => settings.protocol.dialect.kind)).size).toBeGreaterThanOrEqual(2);
    expect(new Set(children.map(({ settings }) => settings.answer.from)).size).toBe(2);
    expect(patches.filter(({ target }) => target?.mechanism !== 'no-call')).toHaveLength(1);
  });

  it('gives one place in eight to what no failure asks for, another each time, and none below eight', () => {
    const unasked = (count: number, generation = 0) =>
      proposePatches(context(SEED, noCalls, { random: seededRandom(generation) }), { count })
        .filter(({ target }) => target === null)
        .map(({ title }) => title);
    expect([7, 8, 16].map((count) => unasked(count).length)).toEqual([0, 1, 2]);
    const titles = Array.from({ length: 12 }, (_, generation) => unasked(8, generation).join());
    expect(new Set(titles).size).toBeGreaterThan(3);
    // First, so that a reader's own diffs do not cut it off.
    expect(proposePatches(context(SEED, noCalls), { count: 8 })[0]?.target).toBeNull();
  });

  it('marks every train task whose content it uses', () => {
    for (const patch of proposePatches(context(SEED, noCalls), { count: 20 })) {
      const shown = applyEdits(SEED, patch.edits).examples.flatMap(({ fromTasks }) => fromTasks);
      expect(patch.usesTasks).toEqual(expect.arrayContaining(shown));
    }
  });

  it('every diff of every operator applies, changes something and is no other’s equivalent, on seed and evolved harnesses', () => {
    const causes = [
      'no-call',
      'call-unreadable',
      'tool-failed',
      'missing-argument',
      'cut-in-call',
      'turn-limit-on-call',
      'wall-limit',
      'prefix-fills-window',
      'answer-not-tool-value',
      'stop-text-empties-turn',
      'identical-repeat',
      'void-turn',
      'misnamed-argument',
      'extra-argument',
      'tool-timeout',
    ];
    let harness = SEED;
    for (let generation = 0; generation < 6; generation++) {
      const patches = proposePatches(
        context(
          harness,
          causes.map((cause) => diagnosis(cause)),
          { random: seededRandom(generation) },
        ),
        { count: 500 },
      );
      const hashes = patches.map((patch) => applyEdits(harness, patch.edits).hash);
      expect(hashes).not.toContain(harness.hash);
      expect(new Set(patches.map(({ edits }) => editsHash(edits))).size).toBe(patches.length);
      expect(patches.length).toBeGreaterThan(10);
      harness = applyEdits(harness, patches[generation]?.edits ?? []);
    }
  }, 120_000);

  it('is deterministic and never repeats a refused diff', () => {
    const first = proposePatches(context(SEED, noCalls), { count: 6 });
    expect(proposePatches(context(SEED, noCalls), { count: 6 })).toEqual(first);
    const refused = new Set(first.map(({ edits }) => editsHash(edits)));
    const second = proposePatches(context(SEED, noCalls, { refused }), { count: 6 });
    expect(second.filter(({ edits }) => refused.has(editsHash(edits)))).toEqual([]);
    expect(second.length).toBeGreaterThan(0);
  });

  it('gives a proposer that was refused again and again fewer turns', () => {
    const history = Array.from({ length: 12 }, () => ({ proposer: 'working-protocol', accepted: false }));
    const count = (patches: { proposer: string }[]) =>
      patches.filter(({ proposer }) => proposer === 'working-protocol').length;
    const without = proposePatches(context(SEED, noCalls), { count: 6 });
    const after = proposePatches(context(SEED, noCalls, { history }), { count: 6 });
    expect(count(after)).toBeLessThan(count(without));
  });

  it('does not raise budgets without saying so', () => {
    for (const patch of proposePatches(
      context(
        SEED,
        ['cut-in-call', 'turn-limit-on-call', 'wall-limit'].map((cause) => diagnosis(cause)),
      ),
      { count: 100 },
    )) {
      const { limits, votes } = applyEdits(SEED, patch.edits).settings;
      expect(patch.relaxes.includes('tokens')).toBe(limits.tokensPerTurn > SEED.settings.limits.tokensPerTurn);
      expect(patch.relaxes.includes('turns')).toBe(limits.turns > SEED.settings.limits.turns);
      expect(patch.relaxes.includes('time')).toBe(limits.wallMs > SEED.settings.limits.wallMs);
      expect(patch.relaxes.includes('votes')).toBe(votes > 1);
    }
  });

  it('lowers the temperature of single sampled rollouts, and of no others', () => {
    const temperatures = (settings: string) => {
      const harness = applyEdits(SEED, [
        { path: 'harness.yaml', old: SEED.files.get('harness.yaml'), value: settings },
      ]);
      return proposePatches(context(harness, []), { count: 100 })
        .filter(({ proposer }) => proposer === 'temperature')
        .map(({ edits }) => applyEdits(harness, edits).settings.sampling.temperature);
    };
    const sampled = 'name: test\nsampling: { temperature: 0.8 }\n';
    expect(temperatures(sampled)).toEqual([0, 0.4]);
    expect(temperatures('name: test\nsampling: { temperature: 0 }\n')).toEqual([]);
    expect(temperatures(`${sampled}votes: 3\n`)).toEqual([]);
  });

  it('takes the repair that the evidence brings, and leaves out one that does not fit this harness', () => {
    const limited = (edits: NonNullable<Diagnosis['repair']>) => ({
      ...diagnosis('turn-limit-on-call', 'middleware_mismatch', 'harness.yaml#/limits/turns'),
      repair: edits,
    });
    const raise = limited([{ path: 'harness.yaml#/limits/turns', old: 4, value: 9 }]);
    const foreign = limited([{ path: 'harness.yaml#/limits/turns', old: 77, value: 9 }]);
    const repairs = (diagnoses: Diagnosis[]) =>
      proposePatches(context(SEED, diagnoses), { count: 100 }).filter(({ proposer }) => proposer === 'stated-repair');
    expect(repairs([raise, raise, foreign])).toMatchObject([{ target: { mechanism: 'turn-limit-on-call' } }]);
    expect(applyEdits(SEED, repairs([raise])[0]?.edits ?? []).settings.limits.turns).toBe(9);
    expect(repairs([{ ...raise, label: 'agent_error', path: null }])).toEqual([]);
  });

  it('gives an undecided cause no weight, and counts one that only waits for a replay', () => {
    const [undecided] = aggregate([{ ...diagnosis('no-call'), standing: 'undecided' }]);
    const [waiting] = aggregate([{ ...diagnosis('no-call'), standing: 'needs-replay' }]);
    expect(undecided).toMatchObject({ weight: 0, count: 1 });
    expect(waiting?.weight).toBeGreaterThan(0);
  });

  it('says nothing in the old form when it changes the dialect, and keeps the rest of the prompt', () => {
    const patch = proposePatches(context(SEED, [diagnosis('call-unreadable')]), { count: 50 }).find(
      ({ proposer }) => proposer === 'call-dialect',
    );
    const child = applyEdits(SEED, patch?.edits ?? []);
    expect(child.settings.protocol.dialect).toMatchObject({ kind: 'tags', body: 'argument' });
    expect(child.prompts.system).not.toMatch(/JSON/);
    expect(child.prompts.system).toMatch(/\{\{tools\}\}[\s\S]*<lookup>KEY<\/lookup>[\s\S]*Be brief/);
  });

  it('without causes and without references still explores, and never targets an agent error', () => {
    const unsolved = Array.from({ length: 20 }, (_, index) => task(index, false));
    const patches = proposePatches(
      context(SEED, [diagnosis('wrong-value', 'agent_error', null)], { trainTasks: unsolved }),
      { count: 5 },
    );
    expect(patches.length).toBeGreaterThan(0);
    expect(patches.every(({ target }) => target === null)).toBe(true);
  });

  it('the random arm reads no cluster', () => {
    const blind = randomPatches(context(SEED, []), { count: 8 });
    expect(randomPatches(context(SEED, noCalls), { count: 8 })).toEqual(blind);
    expect(new Set(blind.map(({ proposer }) => proposer)).size).toBeGreaterThan(3);
    expect(PATCH_OPERATORS.map(({ name }) => name)).toEqual(
      expect.arrayContaining(blind.map(({ proposer }) => proposer)),
    );
  });

  it('the random arm draws from every operator that can write something without a cause, and each diff applies', () => {
    const cutValue = {
      type: 'tool-returned',
      call: { tool: 'lookup' },
      value: `${'x'.repeat(900)}[120 more characters]`,
    };
    const asked = {
      type: 'model-called',
      sampling: SEED.settings.sampling,
      usage: { promptTokens: 900, completionTokens: 9 },
    };
    const identity = { task: task(1).hash, harness: SEED.hash, sampling: null };
    const rollout = { identity, outcome: { kind: 'scored', score: 0 }, wallMs: 10, events: [asked, cutValue] };
    const trajectories = [rollout] as unknown as Trajectory[];
    const shown = proposePatches(context(SEED, noCalls), { count: 50 }).find(
      ({ proposer }) => proposer === 'worked-examples',
    );
    const grown = harnessFromFiles(
      new Map([
        ...applyEdits(SEED, shown?.edits ?? []).files,
        ['middleware/40-output-cap.yaml', 'kind: output-cap\n'],
        ['skills/routine/SKILL.md', '---\nname: routine\ndescription: how to look\n---\nLook twice.\n'],
        ['memory/facts.md', '- Doors are numbered.\n'],
      ]),
    );
    const reached = [SEED, grown].flatMap((harness) => {
      const given = () => context(harness, [], { trajectories });
      const demonstrations = collectDemonstrations(harness, given().trainTasks, []);
      const able = PATCH_OPERATORS.filter((operator) =>
        operator.propose({ ...given(), demonstrations }).some(({ edits }) => edits.length > 0),
      ).map(({ name }) => name);
      const patches = randomPatches(given(), { count: 10_000 });
      for (const { edits } of patches) expect(applyEdits(harness, edits).hash).not.toBe(harness.hash);
      const drawn = new Set(patches.map(({ proposer }) => proposer));
      expect([...drawn].sort()).toEqual(able.sort());
      return able;
    });
    expect(reached).toEqual(expect.arrayContaining(['tool-runs', 'output-limit', 'stop-strings', 'add-examples']));
  });
});

describe('collectDemonstrations', () => {
  it('takes verified successes where a task has no reference, as data without the dialect', () => {
    const unsolved = task(1, false);
    const events = [
      {
        id: 'e0',
        atMs: 0,
        type: 'tool-returned',
        turn: 0,
        call: { tool: 'lookup', arguments: { key: '1' } },
        value: '7',
      },
      { id: 'e1', atMs: 1, type: 'answered', from: 'text', answer: 'It is 7.' },
    ] satisfies TrajectoryEvent[];
    const success = { identity: { task: unsolved.hash }, events } as unknown as Trajectory;
    expect(collectDemonstrations(SEED, [unsolved, task(2, false)], [success])).toMatchObject([
      {
        task: unsolved.hash,
        steps: [{ call: { tool: 'lookup', arguments: { key: '1' } }, result: '7' }, { text: 'It is 7.' }],
      },
    ]);
  });

  it('leaves out tasks that are shown already and tools that φ does not have', () => {
    const shown = applyEdits(SEED, proposePatches(context(SEED, noCalls), { count: 1 })[0]?.edits ?? []);
    const hashes = new Set(shown.examples.flatMap(({ fromTasks }) => fromTasks));
    const foreign = { ...task(99), reference: { calls: [{ tool: 'search', arguments: {} }] } };
    const left = collectDemonstrations(shown, [...Array.from({ length: 60 }, (_, index) => task(index)), foreign], []);
    expect(left.some((demonstration) => hashes.has(demonstration.task) || demonstration.task === foreign.hash)).toBe(
      false,
    );
    expect(left).toHaveLength(60 - hashes.size);
  });
});

describe('editsHash', () => {
  it('is the same for another order, other example names and other white space at line ends', () => {
    const first = [
      { path: 'examples/01-a.yaml', value: 'x: 1 \n' },
      { path: 'harness.yaml#/votes', old: 1, value: 3 },
    ];
    const second = [
      { path: 'harness.yaml#/votes', value: 3 },
      { path: 'examples/09-b.yaml', value: 'x: 1' },
    ];
    expect(editsHash(first)).toBe(editsHash(second));
    expect(editsHash(first)).not.toBe(editsHash([{ path: 'harness.yaml#/votes', value: 5 }]));
    expect(editsHash(first)).not.toBe(contentHash(first));
  });
});
