import { describe, expect, it } from 'vitest';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { isMereSaving, relaxationsOf } from './budget-changes.ts';

const tool = (wallMs: number) =>
  `parameters: { type: object, properties: {} }\nbackend: { kind: record }\nlimits: { wallMs: ${wallMs} }\n`;

/** A φ with a slow and a quick tool, and `files` in the place of its own. */
function phi(files: Record<string, string> = {}) {
  const own = {
    'harness.yaml': 'name: x\n',
    'tools/slow/tool.yaml': tool(30_000),
    'tools/quick/tool.yaml': tool(2_000),
  };
  return harnessFromFiles(new Map(Object.entries({ ...own, ...files })));
}

const settings = (text: string) => ({ 'harness.yaml': `name: x\n${text}\n` });
const memory = (text: string) => ({ 'memory.yaml': `${text}\n` });
const hook = (wallMs: number) => ({
  'middleware/10-own.yaml': `kind: js\noptions: { hooks: [finish], wallMs: ${wallMs} }\n`,
  'middleware/10-own.js': 'function finish(candidate) { return null; }\n',
});

describe('what a change lets a rollout spend more of', () => {
  it.each([
    ['more turns', settings('limits: { turns: 4 }'), settings('limits: { turns: 5 }'), ['turns']],
    ['a summary, a model call on top of the turns', {}, memory('summary: { tokens: 200 }'), ['turns', 'tokens']],
    ['a longer summary', memory('summary: { tokens: 100 }'), memory('summary: { tokens: 200 }'), ['tokens']],
    ['more tokens in a turn', {}, settings('limits: { tokensPerTurn: 512 }'), ['tokens']],
    ['more votes', settings('votes: 3'), settings('votes: 5'), ['votes']],
    [
      'votes that go on once they are decided',
      settings('votes: 5\nvoting: { stopWhenDecided: true }'),
      settings('votes: 5'),
      ['votes'],
    ],
    [
      'more votes at once than a decision takes',
      settings('votes: 5\nvoting: { stopWhenDecided: true, atOnce: 1 }'),
      settings('votes: 5\nvoting: { stopWhenDecided: true, atOnce: 5 }'),
      ['votes'],
    ],
    ['a longer rollout', {}, settings('limits: { wallMs: 2000000 }'), ['time']],
    ['a longer call of the slowest tool', {}, { 'tools/slow/tool.yaml': tool(60_000) }, ['time']],
    ['a longer call of a tool that is not the slowest', {}, { 'tools/quick/tool.yaml': tool(30_000) }, ['time']],
    ['a tool slower than all others', {}, { 'tools/third/tool.yaml': tool(60_000) }, ['time']],
    ['further runs of a tool within a turn', {}, { 'retry.yaml': 'toolRuns: 1\n' }, ['time']],
    ['a longer hook', hook(250), hook(500), ['time']],
  ])('%s', (_what, before, after, relaxed) => {
    expect(relaxationsOf(phi(before), phi(after))).toEqual(relaxed);
    expect(relaxationsOf(phi(after), phi(before))).toEqual([]);
    expect(isMereSaving({ target: null }, phi(before), phi(after))).toBe(false);
    expect(isMereSaving({ target: null }, phi(after), phi(before))).toBe(true);
  });

  it.each([
    ['a tool no slower than others', { 'tools/third/tool.yaml': tool(10_000) }],
    ['a hook that was not there', hook(250)],
    ['errors fed back more often, within the turns', { 'retry.yaml': 'parseErrors: 9\ntoolErrors: 9\n' }],
    ['a check within the turns', { 'middleware/10-check.yaml': 'kind: verification-turn\n' }],
    ['more to read', memory('facts: { tokens: 900 }')],
  ])('is not: %s', (_what, after) => {
    expect(relaxationsOf(phi(), phi(after))).toEqual([]);
  });
});
