import { describe, expect, it } from 'vitest';
import { contentHash } from '../base/content-hash.ts';
import { isFailure, isSuccess } from './is-success.ts';
import { modelCalls } from './model-calls.ts';
import { type Outcome, TRAJECTORY_VERSION, type Trajectory } from './trajectory.ts';
import { trajectorySchema } from './trajectory-schema.ts';

const shared = {
  turnKind: 'working',
  sampling: { temperature: 0, topP: 1, topK: 0 },
  seed: 1,
  maxTokens: 9,
  stop: [],
  finishReason: 'end',
  usage: { promptTokens: 5, completionTokens: 2 },
} as const;
const call = { tool: 'find', arguments: { query: 'cats' } };
const question = { role: 'user' as const, content: `Where? ${'word '.repeat(30)}` };

function trajectory(outcome: Outcome = { kind: 'scored', score: 1, extracted: '7', why: 'equal' }): Trajectory {
  return {
    version: TRAJECTORY_VERSION,
    identity: {
      harness: contentHash('h'),
      model: { base: contentHash('m'), adapter: null },
      task: contentHash('t'),
      split: 'train',
      repeat: 0,
      seed: 1,
      verifier: contentHash('v'),
      sampling: null,
    },
    taskId: 'cats-1',
    group: 'g',
    problem: question.content,
    events: [
      {
        id: 'e0',
        atMs: 0,
        type: 'model-called',
        turn: 0,
        ...shared,
        stop: [],
        messages: [question],
        text: 'find cats',
      },
      { id: 'e1', atMs: 1, type: 'call-parsed', turn: 0, call, raw: 'find cats' },
      { id: 'e2', atMs: 1, type: 'tool-returned', turn: 0, call, value: 'row 7' },
      {
        id: 'e3',
        atMs: 2,
        type: 'model-called',
        turn: 1,
        ...shared,
        stop: [],
        messages: [question, { role: 'assistant', content: 'find cats' }, { role: 'user', content: 'Result: row 7' }],
        text: 'Seven',
      },
      { id: 'e4', atMs: 3, type: 'answered', from: 'text', answer: 'Seven' },
    ],
    answer: 'Seven',
    outcome,
    usage: { promptTokens: 10, completionTokens: 4 },
    wallMs: 3,
  };
}

describe('a trajectory', () => {
  it('is neither a success nor a failure when it has no score', () => {
    const unscored = trajectory({ kind: 'unscored', boundary: 'provider', why: 'down' });
    expect([isSuccess(unscored), isFailure(unscored)]).toEqual([false, false]);
    expect(isSuccess(trajectory())).toBe(true);
    expect(isFailure(trajectory({ kind: 'scored', score: 0.5, extracted: null, why: '' }))).toBe(true);
    expect(modelCalls(trajectory()).map(({ turn }) => turn)).toEqual([0, 1]);
  });

  it('is read back as it was written, and refused when it is from another version or has unknown fields', () => {
    const stored = JSON.parse(JSON.stringify(trajectory()));
    expect(trajectorySchema.parse(stored)).toEqual(trajectory());
    expect(trajectorySchema.parse({ ...stored, version: 1 })).toEqual({ ...trajectory(), version: 1 });
    expect(trajectorySchema.safeParse({ ...stored, version: 3 }).error?.issues[0]?.message).toContain(
      'another co-harness',
    );
    expect(trajectorySchema.safeParse({ ...stored, extra: 1 }).success).toBe(false);
  });
});
