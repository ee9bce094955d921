import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContentHash, contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import type { RolloutIdentity, Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';
import { selectTrainingRows } from './select-training-rows.ts';

const model = { base: contentHash('base'), adapter: null };
const verifier = contentHash('verifier');
const PROMPT = [10, 11, 12];

function harness(fromTasks: readonly ContentHash[] = []): Harness {
  const example = { name: 'one', problem: 'p', steps: [], fromTasks };
  return { hash: contentHash('harness'), examples: [example] } as unknown as Harness;
}

type Called = Extract<TrajectoryEvent, { type: 'model-called' }>;

function called(turn: number, completion: number[], fields: Partial<Called> = {}): TrajectoryEvent {
  return {
    id: `e${turn}${fields.vote ?? ''}`,
    atMs: 0,
    type: 'model-called',
    turn,
    turnKind: 'working',
    messages: [],
    sampling: { temperature: 1, topP: 1, topK: 0 },
    seed: 1,
    maxTokens: 64,
    stop: [],
    text: '',
    finishReason: 'end',
    usage: { promptTokens: PROMPT.length, completionTokens: completion.length },
    promptTokenIds: [...PROMPT, turn],
    completionTokenIds: completion,
    ...fields,
  };
}

const after = (event: object): TrajectoryEvent => ({ id: 'x', atMs: 0, ...event }) as TrajectoryEvent;

function rollout(options: {
  task?: string;
  repeat?: number;
  events?: TrajectoryEvent[];
  identity?: Partial<RolloutIdentity>;
  outcome?: Trajectory['outcome'];
}): Trajectory {
  const { task = 'task', repeat = 0, events = [called(0, [1, 2])] } = options;
  return {
    version: 1,
    identity: {
      harness: harness().hash,
      model,
      task: contentHash(task),
      split: 'train',
      repeat,
      seed: 7,
      verifier,
      sampling: null,
      ...options.identity,
    },
    taskId: task,
    group: task,
    problem: 'p',
    events,
    answer: '4',
    outcome: options.outcome ?? { kind: 'scored', score: 1, extracted: '4', why: 'equal' },
    usage: { promptTokens: 0, completionTokens: 0 },
    wallMs: 1,
  };
}

const rule = { harness: harness(), model, verifier };

describe('which rollouts enter D_t', () => {
  it('takes a verified success of exactly this pair, one row per call, the whole completion as target', () => {
    const { rows, rollouts } = selectTrainingRows(
      [rollout({ events: [called(0, [1, 2]), called(1, [3, 4, 5])] })],
      rule,
    );
    expect(rows.map(({ inputIds, supervised }) => ({ inputIds, supervised }))).toEqual([
      { inputIds: [10, 11, 12, 0, 1, 2], supervised: [[4, 6]] },
      { inputIds: [10, 11, 12, 1, 3, 4, 5], supervised: [[4, 7]] },
    ]);
    expect(rollouts).toMatchObject({ seen: 1, selected: 1 });
  });

  it.each([
    ['other-split', { identity: { split: 'gate' as const } }],
    ['other-split', { identity: { split: 'eval' as const } }],
    ['other-harness', { identity: { harness: contentHash('older harness') } }],
    ['other-model', { identity: { model: { ...model, adapter: contentHash('adapter') } } }],
    ['other-model', { identity: { model: { ...model, base: contentHash('other base') } } }],
    ['other-verifier', { identity: { verifier: contentHash('older verifier') } }],
    ['unscored', { outcome: { kind: 'unscored' as const, boundary: 'provider' as const, why: 'down' } }],
    ['not-solved', { outcome: { kind: 'scored' as const, score: 0.99, extracted: null, why: 'wrong' } }],
    ['no-call-left', { events: [] }],
  ])('refuses and counts %s', (reason, options) => {
    const { rows, rollouts } = selectTrainingRows([rollout(options)], rule);
    expect(rows).toEqual([]);
    expect(rollouts.dropped).toMatchObject({ [reason]: 1 });
  });

  it('takes hard tasks first where rows are limited: those that the pair solves least often', () => {
    const failed = { kind: 'scored' as const, score: 0, extracted: null, why: 'wrong' };
    const of = (task: string, solvedOf: [number, number]) =>
      Array.from({ length: solvedOf[1] }, (_, repeat) =>
        rollout({
          task,
          repeat,
          events: [called(0, [repeat + 1, task.length])],
          ...(repeat < solvedOf[0] ? {} : { outcome: failed }),
        }),
      );
    const samples = [...of('always', [2, 2]), ...of('half', [1, 2]), ...of('third.', [1, 3])];
    const tasksOf = (maxRows: number) =>
      new Set(selectTrainingRows(samples, { ...rule, maxRows }).rows.map(({ task }) => task));
    expect(tasksOf(1)).toEqual(new Set([contentHash('third.')]));
    expect(tasksOf(2)).toEqual(new Set([contentHash('third.'), contentHash('half')]));
  });

  it('does not count what another pair made of a task', () => {
    const other = { identity: { model: { ...model, adapter: contentHash('adapter') } } };
    const failed = { kind: 'scored' as const, score: 0, extracted: null, why: 'wrong' };
    const samples = [
      rollout({ task: 'a' }),
      rollout({ task: 'a', repeat: 1, outcome: failed, ...other }),
      rollout({ task: 'b', events: [called(0, [3])] }),
      rollout({ task: 'b', repeat: 1, outcome: failed }),
    ];
    const [row] = selectTrainingRows(samples, { ...rule, maxRows: 1 }).rows;
    expect(row?.task).toBe(contentHash('b'));
  });

  it('leaves out tasks whose solution the harness shows as an example', () => {
    const shown = { ...rule, harness: harness([contentHash('task')]) };
    expect(selectTrainingRows([rollout({})], shown).rollouts.dropped['shown-as-example']).toBe(1);
  });

  it('takes at most two different rollouts of a task; the same tokens twice are one', () => {
    const samples = [[1], [1], [2], [3]].map((completion, repeat) =>
      rollout({ repeat, events: [called(0, completion)] }),
    );
    const { rows, rollouts } = selectTrainingRows(samples, rule);
    expect(rows.map(({ inputIds }) => inputIds.at(-1))).toEqual([1, 2]);
    expect(rollouts.dropped).toMatchObject({ duplicate: 1, 'over-task-limit': 1 });
  });

  it('gives every task its first rollout before any gets a second when rows are limited', () => {
    const samples = ['a', 'b', 'c'].flatMap((task) =>
      [0, 1].map((repeat) => rollout({ task, repeat, events: [called(0, [repeat])] })),
    );
    const { rows, rollouts } = selectTrainingRows(samples, { ...rule, maxRows: 4 });
    expect(new Set(rows.map(({ task }) => task)).size).toBe(3);
    expect(rows).toHaveLength(4);
    expect(rollouts.dropped['over-row-limit']).toBe(2);
  });

  it.each([
    { adds: 26, others: 12, kept: 12, what: 'no more of one form than of all others together' },
    { adds: 30, others: 4, kept: 13, what: 'but never drops more than half of all' },
    { adds: 5, others: 5, kept: 5, what: 'what is balanced stays' },
    { adds: 20, others: 0, kept: 20, what: 'a single form stays' },
  ])('$what: $adds of one form beside $others keep $kept', ({ adds, others, kept }) => {
    const write = (task: string, text: string) => rollout({ task, events: [called(0, [1], { text })] });
    const samples = [
      ...Array.from({ length: adds }, (_, index) => write(`add ${index}`, `${index} + 2`)),
      ...Array.from({ length: others }, (_, index) => write(`other ${index}`, index % 2 === 0 ? '8 * 2' : '9 - 1.5')),
    ];
    const { rows, rollouts } = selectTrainingRows(samples, rule);
    expect(rows).toHaveLength(kept + others);
    expect(rollouts.dropped['over-form-share']).toBe(adds - kept);
  });

  it('lets the forms take turns where rows are limited', () => {
    const write = (task: string, text: string) => rollout({ task, events: [called(0, [1], { text })] });
    const samples = ['1 + 2', '3 + 4', '5 + 6', '7 - 1', '8 / 2'].map((text) => write(text, text));
    const { rows } = selectTrainingRows(samples, { ...rule, maxRows: 3 });
    const sums = samples.slice(0, 3).map(({ identity }) => identity.task);
    expect(rows.filter(({ task }) => sums.includes(task))).toHaveLength(1);
  });

  it('gives the same rows whatever the order in which rollouts finished', () => {
    const samples = ['a', 'b', 'c', 'd'].flatMap((task) =>
      [0, 1, 2].map((repeat) => rollout({ task, repeat, events: [called(0, [repeat % 2])] })),
    );
    const expected = selectTrainingRows(samples, { ...rule, maxRows: 5 });
    fc.assert(
      fc.property(fc.shuffledSubarray(samples, { minLength: samples.length }), (shuffled) => {
        expect(selectTrainingRows(shuffled, { ...rule, maxRows: 5 })).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });
});

describe('which calls of a success are targets', () => {
  it.each([
    ['cut-by-limit', [called(0, [1], { finishReason: 'length' })]],
    ['cut-by-limit', [called(0, [1], { finishReason: 'window' })]],
    ['call-unreadable', [called(0, [1]), after({ type: 'call-unreadable', turn: 0, raw: '', problem: '' })]],
    [
      'tool-refused',
      [called(0, [1]), after({ type: 'tool-refused', turn: 0, call: { tool: 't', arguments: {} }, problem: '' })],
    ],
    [
      'tool-failed',
      [
        called(0, [1]),
        after({ type: 'tool-failed', turn: 0, call: { tool: 't', arguments: {} }, errorType: '', problem: '' }),
      ],
    ],
    ['summary-turn', [called(0, [1], { turnKind: 'summary' })]],
    [
      'set-aside-by-middleware',
      [
        called(0, [1]),
        after({
          type: 'middleware-acted',
          turn: 0,
          middleware: '10-x',
          kind: 'answer-commit',
          hook: 'finish',
          action: 'changed-answer',
          detail: '4',
          setsAside: true,
        }),
      ],
    ],
    ['no-exact-tokens', [withoutTokens(called(0, [1]))]],
  ])('keeps a turn as context and counts it: %s', (reason, first) => {
    const { rows, calls } = selectTrainingRows([rollout({ events: [...first, called(1, [9])] })], rule);
    expect(rows.map(({ inputIds }) => inputIds)).toEqual([[10, 11, 12, 1, 9]]);
    expect(calls).toMatchObject({ selected: 1, dropped: { [reason]: 1 } });
  });

  it('takes a turn that a stop string ended: the model sampled all of it', () => {
    const events = [called(0, [1, 2], { finishReason: 'stop-text' })];
    expect(selectTrainingRows([rollout({ events })], rule).rows).toHaveLength(1);
  });

  it('takes only the votes that gave the answer that counted', () => {
    const vote = (number: number, answer: string) => [
      called(0, [number], { vote: number }),
      after({ type: 'answered', from: 'text', answer, vote: number }),
    ];
    const events = [...vote(0, '4'), ...vote(1, '5'), ...vote(2, '4')];
    const { rows, calls } = selectTrainingRows([rollout({ events })], rule);
    expect(rows.map(({ inputIds }) => inputIds.at(-1))).toEqual([0, 2]);
    expect(calls.dropped.outvoted).toBe(1);
  });
});

function withoutTokens(event: TrajectoryEvent): TrajectoryEvent {
  const { promptTokenIds: _prompt, completionTokenIds: _completion, ...rest } = event as Called;
  return rest;
}
