import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import type { Harness } from '../harness/harness.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { diagnose } from './evidence-critic.ts';
import { answers, CALL, calls, HARNESS, RAW, returns, rollout, says, silent, unreadable } from './rollout.fixture.ts';

const mechanism = (trajectory: Trajectory, harness: Harness = HARNESS) => diagnose([trajectory], harness)[0]?.mechanism;
const worked = [says(0, RAW), calls(0), returns(0, '7')];

/** Each row: mechanism, a rollout that shows it, a near miss and what the near miss is instead. */
const CASES: [string, Trajectory, string, Trajectory][] = [
  [
    'middleware-fault',
    rollout([says(0, 'x'), { type: 'fault', boundary: 'middleware', problem: 'hook threw' }]),
    'no-answer',
    rollout([says(0, 'x'), { type: 'fault', boundary: 'provider', problem: 'server down' }], { extracted: null }),
  ],
  [
    'memory-fault',
    rollout([says(0, 'x'), { type: 'fault', boundary: 'memory', problem: 'store' }]),
    'tool-fault',
    rollout([says(0, 'x'), { type: 'fault', boundary: 'tool', problem: 'no such back end' }]),
  ],
  [
    'prefix-fills-window',
    rollout([says(0, '', 'window')]),
    'history-fills-window',
    rollout([...worked, says(1, '', 'window')]),
  ],
  [
    'tool-not-offered',
    rollout([says(0, 'It is 7.', 'end', 'Be brief.'), silent(0)]),
    'no-call',
    rollout([says(0, 'It is 7.', 'end', 'Be brief. You have lookup.'), silent(0)]),
  ],
  [
    'void-turn',
    rollout([says(0, ' '), silent(0)]),
    'stop-text-empties-turn',
    rollout([says(0, '', 'stop-text'), silent(0)]),
  ],
  [
    'cut-in-call',
    rollout([says(0, '{"name":"look', 'length'), unreadable(0)]),
    'call-unreadable',
    rollout([says(0, '{"name":"look'), unreadable(0)]),
  ],
  [
    'call-unreadable',
    rollout([says(0, '{"name":"look'), unreadable(0), says(1, 'It is 7.'), silent(1)]),
    'wrong-value',
    rollout([says(0, '{"name":"look'), unreadable(0), says(1, RAW), calls(1), returns(1, '7'), answers('7')]),
  ],
  [
    'identical-repeat',
    rollout([says(0, RAW), calls(0), returns(0, '7'), says(1, RAW), calls(1), returns(1, '7')]),
    'wrong-value',
    rollout([
      says(0, RAW),
      calls(0),
      returns(0, '3'),
      says(1, '{"name":"lookup","arguments":{"key":"b"}}'),
      { type: 'call-parsed', turn: 1, call: { tool: 'lookup', arguments: { key: 'b' } }, raw: '' },
      returns(1, '7'),
    ]),
  ],
  [
    'unknown-tool',
    rollout([
      says(0, 'x'),
      { type: 'tool-refused', turn: 0, call: { tool: 'search', arguments: {} }, problem: 'unknown' },
    ]),
    'missing-argument',
    rollout([says(0, 'x'), { type: 'tool-refused', turn: 0, call: { tool: 'lookup', arguments: {} }, problem: 'key' }]),
  ],
  [
    'misnamed-argument',
    rollout([
      says(0, 'x'),
      { type: 'tool-refused', turn: 0, call: { tool: 'lookup', arguments: { name: 'a' } }, problem: 'key' },
    ]),
    'extra-argument',
    rollout([
      says(0, 'x'),
      { type: 'tool-refused', turn: 0, call: { tool: 'lookup', arguments: { key: 'a', name: 'a' } }, problem: 'name' },
    ]),
  ],
  [
    'unfit-argument-value',
    rollout([
      says(0, 'x'),
      { type: 'tool-refused', turn: 0, call: { tool: 'lookup', arguments: { key: 3 } }, problem: 'string' },
    ]),
    'wrong-value',
    rollout([
      says(0, 'x'),
      { type: 'tool-refused', turn: 0, call: { tool: 'lookup', arguments: { key: 3 } }, problem: 'string' },
      ...worked,
    ]),
  ],
  [
    'tool-failed',
    rollout([
      says(0, RAW),
      calls(0),
      { type: 'tool-failed', turn: 0, call: CALL, errorType: 'not-found', problem: 'no a' },
    ]),
    'tool-timeout',
    rollout([
      says(0, RAW),
      calls(0),
      { type: 'tool-failed', turn: 0, call: CALL, errorType: 'timeout', problem: '10 s' },
    ]),
  ],
  [
    'answer-not-tool-value',
    rollout([...worked, says(1, 'It is 8.'), answers('8')], { extracted: '8' }),
    'wrong-value',
    rollout([...worked, says(1, 'It is 7.0'), answers('7.0')], { extracted: '7.0' }),
  ],
  [
    'no-answer-beside-tool-value',
    rollout([...worked, says(1, 'Good.'), answers('Good.')], { extracted: null }),
    'wrong-value',
    rollout([...worked, answers('7', 'tool')], { extracted: '7' }),
  ],
  [
    'turn-limit-on-call',
    rollout([says(0, RAW), calls(0), { type: 'turn-limit-reached', turn: 0 }], { extracted: null }),
    'no-call',
    rollout([says(0, RAW), calls(0), says(1, 'Hm.'), silent(1), { type: 'turn-limit-reached', turn: 1 }], {
      extracted: null,
    }),
  ],
  [
    'call-in-other-form',
    rollout([says(0, 'I call lookup("a").'), silent(0)]),
    'narrated-call',
    rollout([says(0, 'I will lookup (a) now.'.replace('(a)', 'a')), silent(0)]),
  ],
  [
    'invented-observation',
    rollout([says(0, 'Observation: 7, so it is 7.'), silent(0)]),
    'no-call',
    rollout([says(0, 'My observation is that it is 7.'), silent(0)]),
  ],
  [
    'narrated-call',
    rollout([says(0, 'Using lookup, it is 7.'), silent(0)]),
    'no-call',
    rollout([says(0, 'An overlookup: 7.'), silent(0)]),
  ],
  ['no-call', rollout([says(0, 'It is 7.'), silent(0)]), 'wrong-value', rollout([says(0, 'It is 7.'), answers('7')])],
  [
    'history-trimmed',
    rollout([says(0, 'x'), { type: 'history-trimmed', turn: 0, droppedMessages: 2 }]),
    'wrong-value',
    rollout([says(0, 'x'), { type: 'history-trimmed', turn: 0, droppedMessages: 0 }]),
  ],
  [
    'cut-by-length',
    rollout([says(0, 'First we', 'length')], { extracted: null }),
    'wrong-value',
    rollout([says(0, 'It is 7 because', 'length')], { extracted: '7' }),
  ],
  ['no-answer', rollout([says(0, 'Who knows.')], { extracted: null }), 'wrong-value', rollout([says(0, 'It is 7.')])],
];

describe('evidence rules', () => {
  it.each(CASES)('%s is found on its evidence', (name, positive) => {
    const [diagnosis] = diagnose([positive], HARNESS);
    expect(diagnosis?.mechanism).toBe(name);
    expect(diagnosis?.evidence.length).toBeGreaterThan(0);
    for (const { event } of diagnosis?.evidence ?? []) expect(positive.events.map(({ id }) => id)).toContain(event);
  });

  it.each(CASES)('%s is not found on a near miss', (_name, _positive, instead, near) => {
    expect(mechanism(near)).toBe(instead);
  });

  it('a call in the dialect’s own form for a tool that is not offered is told from a reply without a call', () => {
    const files = new Map(HARNESS.files).set(
      'harness.yaml',
      'name: test\nprotocol: {dialect: {kind: tags, open: "<{tool}>", close: "</{tool}>", body: arguments}}\n',
    );
    const tags = harnessFromFiles(files);
    const replies = (text: string) => mechanism(rollout([says(0, text), silent(0)], {}, tags), tags);
    expect(replies('<search>{"key":"a"}</search>')).toBe('unknown-tool');
    expect(replies('I think <b >a</b > is 7.')).toBe('no-call');
  });

  it('turns that were dropped once come after what else is seen, and before it where most requests lack them', () => {
    const trim = (turn: number) => ({ type: 'history-trimmed' as const, turn, droppedMessages: 2 });
    const ending = [says(2, 'Then.'), says(3, '{"name":"look'), unreadable(3)];
    expect(mechanism(rollout([...worked, trim(1), says(1, 'Well.'), ...ending]))).toBe('call-unreadable');
    expect(mechanism(rollout([...worked, trim(1), trim(2), says(1, 'Well.'), ...ending]))).toBe('history-trimmed');
  });

  it('a valid call with a wrong value is an agent error, which names no place to change', () => {
    const [diagnosis] = diagnose([rollout([...worked, says(1, '7'), answers('7')])], HARNESS);
    expect(diagnosis).toMatchObject({ label: 'agent_error', path: null, component: null });
  });

  it('never shows a success or an unscored rollout to a rule', () => {
    const success = rollout(worked, { score: 1 });
    const unscored = rollout([says(0, 'x')], {
      outcome: { kind: 'unscored', boundary: 'provider', why: 'server down' },
    });
    expect(diagnose([success, unscored], HARNESS)).toEqual([]);
  });

  it('a symptom that one in ten rollouts shows is laid to φ, one in thirty to the model; a broken part shown by one rollout stays', () => {
    const silentOnce = rollout([says(0, 'It is 7.'), silent(0)]);
    const carried = (count: number) => Array.from({ length: count }, () => rollout(worked, { score: 1 }));
    const labels = (trajectories: Trajectory[]) => diagnose(trajectories, HARNESS).map(({ label }) => label);
    expect(labels([silentOnce])).toEqual(['prompt_ambiguity']);
    expect(labels([silentOnce, ...carried(9)])).toEqual(['prompt_ambiguity']);
    expect(labels([silentOnce, ...carried(29)])).toEqual(['agent_error']);
    expect(diagnose([silentOnce, ...carried(29)], HARNESS)[0]).toMatchObject({ path: null, component: null });
    expect(labels([rollout([says(0, '', 'window')]), ...carried(29)])).toEqual(['memory_overflow']);
  });

  it('refuses rollouts of gate and test tasks, and of another harness', () => {
    const own = rollout(worked);
    for (const split of ['gate', 'test'] as const) {
      const sealed = { ...own, identity: { ...own.identity, split } };
      expect(() => diagnose([sealed], HARNESS)).toThrow(/shown to the critic/);
    }
    expect(() => diagnose([{ ...own, identity: { ...own.identity, harness: contentHash('other') } }], HARNESS)).toThrow(
      /another|diagnosed against/,
    );
  });

  it('an empty reply list, null answer and no events at all never throw', () => {
    expect(diagnose([rollout([])], HARNESS)).toEqual([]);
    expect(diagnose([rollout([answers(null)], { extracted: null })], HARNESS)).toHaveLength(1);
  });
});
