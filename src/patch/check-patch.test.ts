import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { applyEdits } from '../harness/apply-patch.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';
import { type Task, type TaskSplits, taskHash } from '../task/task.ts';
import type { Trajectory, TrajectoryEvent } from '../trajectory/trajectory.ts';
import { checkPatch, type RefusedBefore } from './check-patch.ts';
import { editsHash } from './edits-hash.ts';
import type { Patch, PatchProbe } from './patch.ts';
import { scopeOf } from './patch-scope.ts';
import { patchSeen } from './patch-seen.ts';

const HARNESS = harnessFromFiles(
  new Map([
    ['harness.yaml', 'name: test\n'],
    ['prompts/system.md', 'Answer.\n'],
  ]),
);

function task(id: string, problem: string, answer: string): Task {
  const row = { id, problem, answer };
  return { ...row, hash: taskHash(row), group: id };
}

const TRAIN = task('train-row-1', 'Ann has three red hats and buys two blue ones. How many hats does she have?', '5');
const SPLITS: TaskSplits = {
  train: [TRAIN],
  gate: [
    task(
      'gate-row-1',
      'A farmer drives nine sheep over the old stone bridge before noon. How many legs cross it?',
      '36',
    ),
  ],
  test: [task('test-row-1', 'Peas grow in pods of seven. How many peas are in twelve such pods?', '84')],
};

function patch(edits: PatchEdit[], changes: Partial<Patch> = {}): Patch {
  return {
    id: contentHash(edits),
    base: HARNESS.hash,
    title: 'test',
    proposer: 'test',
    target: null,
    edits,
    scope: scopeOf(edits),
    probe: { kind: 'prompt-changed' },
    relaxes: [],
    usesTasks: [],
    predictedFix: null,
    ...changes,
  };
}

const system = (text: string) => patch([{ path: 'prompts/system.md', old: 'Answer.\n', value: text }]);
/** A diff that brings in a tool and names its arguments in an edit of their own. */
const tool = (properties: Record<string, unknown>) =>
  patch([
    {
      path: 'tools/count/tool.yaml',
      value: 'parameters: { type: object, properties: {} }\nbackend: { kind: record }\n',
    },
    { path: 'tools/count/tool.yaml#/parameters/properties', old: {}, value: properties },
  ]);
const NEW_PLACE = 'examples/peas-grow-in-pods-of-seven-how-many.yaml';
const check = (candidate: Patch, refused: RefusedBefore = new Map()) =>
  checkPatch(candidate, HARNESS, { splits: SPLITS, refused });

describe('checkPatch', () => {
  it('passes a plain diff, and one that shows a train task', () => {
    expect(check(system('Answer briefly.\n'))).toEqual({ ok: true });
    expect(check({ ...system(`For example: ${TRAIN.problem} 5\n`), usesTasks: [TRAIN.hash] })).toEqual({ ok: true });
  });

  it.each([
    ['written-for-another-harness', patch([], { base: contentHash('other') })],
    ['does-not-apply', patch([{ path: 'prompts/system.md', old: 'Something else.', value: 'x' }])],
    ['forbidden-place', patch([{ path: '../verifier.ts', value: 'x' }])],
    ['forbidden-place', patch([{ path: 'tasks.jsonl', value: 'x' }])],
    ['outside-scope', { ...system('x\n'), scope: ['example'] }],
    ['outside-scope', patch([{ path: 'tools/add/answers.js', value: 'x' }], { scope: ['tool'] })],
    ['changes-nothing', patch([])],
    ['too-large', system('word '.repeat(5000))],
    ['uses-sealed-task', { ...system('x\n'), usesTasks: [SPLITS.gate[0]?.hash ?? contentHash('')] }],
    ['leaks-sealed-task', system('A farmer drives nine sheep over the old stone bridge before noon.\n')],
    ['leaks-sealed-task', system('With nine sheep over the old stone bridge before noon, say 36.\n')],
    ['leaks-sealed-task', system('For test-row-1 be careful.\n')],
    [
      'leaks-sealed-task',
      patch([
        {
          path: 'examples/1.yaml',
          value: 'problem: peas GROW in pods of seven; how many peas are in twelve\nsteps: [{text: "?"}]\n',
        },
      ]),
    ],
    ['leaks-sealed-task', patch([{ path: NEW_PLACE, value: 'problem: "?"\nsteps: [{text: "?"}]\n' }])],
    ['leaks-sealed-task', tool({ 'peas grow in pods of seven; how many': { type: 'string' } })],
    ['leaks-sealed-task', tool({ drives: { description: 'nine sheep over the old stone', default: 36 } })],
  ] as [string, Patch][])('refuses: %s', (reason, candidate) => {
    expect(check(candidate)).toMatchObject({ ok: false, refused: reason });
  });

  it.each([
    ['text', system('Peas grow in pods of seven. How many peas are in twelve such pods? 84\n')],
    ['place', patch([{ path: NEW_PLACE, value: 'problem: "?"\nsteps: [{text: "?"}]\n' }])],
  ])('names the split but never the content of a sealed task that leaked by a %s', (_what, candidate) => {
    const checked = check(candidate);
    expect(checked).toMatchObject({ ok: false });
    expect(JSON.stringify(checked)).not.toMatch(/peas|84|test-row-1/i);
  });

  it('passes keys, numbers and places that say nothing of a sealed task', () => {
    expect(check(tool({ peas: { description: 'how many', default: 84 } }))).toEqual({ ok: true });
  });

  it('refuses an equivalent of a diff refused before', () => {
    const refused = new Map([[editsHash(system('Answer briefly.\n').edits), 'v7 (reject: worse)']]);
    const checked = check(system('Answer briefly.  \n\n'), refused);
    expect(checked).toMatchObject({ ok: false, refused: 'refused-before' });
    expect(JSON.stringify(checked)).toContain('v7 (reject: worse)');
  });

  it('refuses another way to write a harness that was refused before', () => {
    const child = applyEdits(HARNESS, system('Answer briefly.\n').edits);
    const refused = new Map([[child.hash, 'v3 (dead: not-alive)']]);
    expect(check(system('Answer briefly.\n'), refused)).toMatchObject({ ok: false, refused: 'refused-before' });
  });
});

function rollout(
  system: string,
  {
    maxTokens = 50,
    temperature = 0,
    seed = 1,
    type,
  }: { maxTokens?: number; temperature?: number; seed?: number; type?: 'history-trimmed' } = {},
): Trajectory {
  const called = {
    id: 'e0',
    atMs: 0,
    type: 'model-called',
    turn: 0,
    turnKind: 'working',
    messages: [{ role: 'system', content: system }],
    maxTokens,
    stop: [],
    sampling: { temperature, topP: 1, topK: 0 },
    text: `${Math.random()}`,
  };
  const events = type === undefined ? [called] : [called, { id: 'e1', atMs: 0, type, turn: 0, droppedMessages: 1 }];
  return {
    identity: { task: contentHash('t'), split: 'gate', repeat: 0, seed },
    events: events as TrajectoryEvent[],
  } as Trajectory;
}

describe('patchSeen', () => {
  const alive = (probe: PatchProbe, parent: Trajectory[], child: Trajectory[]) =>
    patchSeen({ probe }, parent, child).alive;

  it('sees a prompt patch by other messages, not by other replies', () => {
    expect(alive({ kind: 'prompt-changed' }, [rollout('a')], [rollout('b')])).toBe(true);
    expect(alive({ kind: 'prompt-changed' }, [rollout('a')], [rollout('a')])).toBe(false);
  });

  it('sees a settings patch in the requests, not in the prompt', () => {
    expect(alive({ kind: 'setting-changed' }, [rollout('a')], [rollout('a', { maxTokens: 9 })])).toBe(true);
    expect(alive({ kind: 'setting-changed' }, [rollout('a')], [rollout('b')])).toBe(false);
  });

  it('compares a sampled child with its greedy parent, whose seed means nothing, but no two of other luck', () => {
    const setting = { kind: 'setting-changed' } as const;
    expect(alive(setting, [rollout('a', { seed: 0 })], [rollout('a', { temperature: 0.7, seed: 5 })])).toBe(true);
    const sampled = (seed: number, maxTokens = 50) => rollout('a', { temperature: 0.7, seed, maxTokens });
    expect(alive(setting, [sampled(4)], [sampled(5, 9)])).toBe(false);
    expect(alive(setting, [sampled(5)], [sampled(5, 9)])).toBe(true);
  });

  it('sees another number of rollouts in flight where the arms ran apart', () => {
    const probe = { kind: 'in-flight-changed' } as const;
    expect(patchSeen({ probe }, [], [], { parent: 1, child: 8 })).toEqual({
      alive: true,
      why: '8 child rollouts were in flight at once, 1 of the parent.',
    });
    expect(patchSeen({ probe }, [], [], { parent: 8, child: 8 }).alive).toBe(false);
    expect(patchSeen({ probe }, [rollout('a')], [rollout('a')]).alive).toBe(false);
  });

  it('sees an event or a call only when the child has it', () => {
    expect(
      alive({ kind: 'event-seen', event: 'history-trimmed' }, [], [rollout('a', { type: 'history-trimmed' })]),
    ).toBe(true);
    expect(alive({ kind: 'event-seen', event: 'history-trimmed' }, [], [rollout('a')])).toBe(false);
    expect(alive({ kind: 'tool-called', tool: 'lookup' }, [], [rollout('a')])).toBe(false);
  });

  it('is dead where no rollout of the parent can be compared', () => {
    expect(alive({ kind: 'prompt-changed' }, [], [rollout('b')])).toBe(false);
  });
});
