import { describe, expect, it } from 'vitest';
import { modelCalls } from '../../trajectory/model-calls.ts';
import type { Trajectory, TrajectoryEvent } from '../../trajectory/trajectory.ts';
import { calculate, callOf, harnessWith, rollOut } from '../scripted-rollout.fixture.ts';
import { estimateTokens } from '../trim-history.ts';

const SETTINGS = 'limits: { turns: 8, tokensPerTurn: 400 }\n';
const remember = (text: string) => callOf('note', { text });
const phi = (memory: string, files: Record<string, string> = {}) =>
  harnessWith({ 'memory.yaml': memory, ...files }, SETTINGS);

type Acted = Extract<TrajectoryEvent, { type: 'memory-acted' }>;
const acted = ({ events }: Trajectory) =>
  events.filter((event): event is Acted => event.type === 'memory-acted').map(({ action, detail }) => [action, detail]);
const lastRequest = (trajectory: Trajectory) => modelCalls(trajectory).at(-1)?.messages ?? [];
const long = (digit: number) => calculate(`${digit}**900`);

describe('notes', () => {
  it('are kept by the model’s own call and stand with the task once turns were dropped', async () => {
    const harness = phi('historyTokens: 120\nnotes: { tokens: 40 }\n');
    const trajectory = await rollOut(harness, [remember('the key is 7'), long(3), long(5), '42']);
    expect(acted(trajectory)).toEqual([['noted', 'the key is 7']]);
    expect(lastRequest(trajectory)[0]?.content).toBe('What is 6*7?\n\nNotes:\n- the key is 7');
    expect(trajectory.events.some(({ type }) => type === 'history-trimmed')).toBe(true);
    expect(
      trajectory.events.find((event) => event.type === 'tool-returned' && event.call.tool === 'note'),
    ).toBeUndefined();
  });

  it('are never the answer where the tool’s value is', async () => {
    const harness = harnessWith({ 'memory.yaml': 'notes: { tokens: 40 }\n' }, 'answer: { from: tool }\n');
    expect(await rollOut(harness, [remember('the key is 7'), calculate('6*7')])).toMatchObject({ answer: '42' });
  });

  it('stay inside their limit: the oldest goes, and that it went is an event', async () => {
    const harness = phi('notes: { tokens: 10 }\n');
    const trajectory = await rollOut(harness, [
      remember('a'.repeat(20)),
      remember('b'.repeat(20)),
      remember('c'.repeat(99)),
      '42',
    ]);
    expect(acted(trajectory)).toEqual([
      ['noted', 'a'.repeat(20)],
      ['noted', 'b'.repeat(20)],
      ['forgot-note', 'a'.repeat(20)],
    ]);
    expect(trajectory.events.find(({ type }) => type === 'tool-failed')).toMatchObject({ errorType: 'note-too-long' });
  });

  it('say when they are old', async () => {
    const harness = phi('historyTokens: 120\nstaleAfterTurns: 1\nnotes: { tokens: 40 }\n');
    const trajectory = await rollOut(harness, [remember('the key is 7'), long(3), long(5), long(7), '42']);
    expect(lastRequest(trajectory)[0]?.content).toContain('- the key is 7 (noted a while ago, may be out of date)');
  });
});

describe('facts of earlier episodes', () => {
  it('stand in the system prompt, or where it wants them', async () => {
    const files = { 'memory/facts.md': '# Learnt\n- six is even\n\n- seven is odd\n' };
    expect(lastRequest(await rollOut(harnessWith(files), ['42']))[0]).toEqual({
      role: 'system',
      content: '- six is even\n- seven is odd',
    });
    const placed = harnessWith({ ...files, 'prompts/system.md': 'Know:\n{{facts}}\nBe brief.' });
    expect(lastRequest(await rollOut(placed, ['42']))[0]?.content).toBe(
      'Know:\n- six is even\n- seven is odd\nBe brief.',
    );
  });

  it('that do not fit are left out, with an event', async () => {
    const files = { 'memory/facts.md': 'first fact\nsecond fact\n', 'memory.yaml': 'facts: { tokens: 4 }\n' };
    const trajectory = await rollOut(harnessWith(files), ['42']);
    expect(lastRequest(trajectory)[0]?.content).toBe('- first fact');
    expect(acted(trajectory)).toEqual([['left-out', '1 of 2 facts do not fit into 4 tokens']]);
  });
});

describe('a summary', () => {
  it('is asked of the model before turns are dropped, as a call of its own kind that no turn counts and D_t never takes', async () => {
    const harness = phi('historyTokens: 160\nsummary: { tokens: 30 }\n');
    const trajectory = await rollOut(harness, ({ messages }) => {
      if (messages[0]?.content.startsWith('Sum up')) return 'Powers were computed.';
      const turn = messages.filter(({ role }) => role === 'assistant').length;
      return turn === 0 || !messages[0]?.content.includes('Powers') ? long(3 + turn) : '42';
    });
    const kinds = modelCalls(trajectory).map(({ turnKind }) => turnKind);
    expect(kinds.filter((kind) => kind === 'summary')).toHaveLength(1);
    const summary = modelCalls(trajectory).find(({ turnKind }) => turnKind === 'summary');
    expect(summary).toMatchObject({ maxTokens: 30, stop: [] });
    expect(acted(trajectory)).toEqual([['summarised', 'Powers were computed.']]);
    expect(lastRequest(trajectory)[0]?.content).toBe('What is 6*7?\n\nEarlier:\nPowers were computed.');
    const tokens = modelCalls(trajectory).reduce((sum, { usage }) => sum + usage.completionTokens, 0);
    expect(trajectory.usage.completionTokens).toBe(tokens);
  });
});

describe('retrieval', () => {
  it('finds dropped turns again by the words of the latest one', async () => {
    const harness = phi('historyTokens: 100\nretrieval: { passages: 1, tokens: 60 }\n', {
      'prompts/tool-result.md': 'zebra value {{result}}',
    });
    const trajectory = await rollOut(harness, [calculate('1+1'), long(3), long(5), '42']);
    const recalled = acted(trajectory).filter(([action]) => action === 'recalled');
    expect(recalled.length).toBeGreaterThan(0);
    expect(lastRequest(trajectory)[0]?.content).toMatch(/From earlier turns:\n.*zebra value/s);
  });

  it('takes a question for words, whatever it looks like', async () => {
    const harness = phi('historyTokens: 60\nretrieval: { passages: 2 }\n', {
      'prompts/tool-result.md': 'text: ("AND" OR * NEAR( {{result}}',
    });
    const trajectory = await rollOut(harness, [long(3), long(5), long(7), '42']);
    expect(trajectory.events.filter(({ type }) => type === 'fault')).toEqual([]);
  });
});

describe('eviction and staleness', () => {
  it('largest-result shortens bulk before it drops an exchange', async () => {
    const oldest = await rollOut(phi('historyTokens: 140\n'), [long(3), calculate('1+1'), '42']);
    expect(oldest.events.some(({ type }) => type === 'history-trimmed')).toBe(true);
    const largest = await rollOut(phi('historyTokens: 110\nevict: largest-result\n'), [
      long(3),
      calculate('1+1'),
      '42',
    ]);
    expect(acted(largest)[0]?.[0]).toBe('shortened');
    expect(largest.events.some(({ type }) => type === 'history-trimmed')).toBe(false);
    expect(lastRequest(largest).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  });

  it('results are shortened after their number of turns', async () => {
    const trajectory = await rollOut(phi('staleAfterTurns: 1\n'), [long(3), calculate('1+1'), '42']);
    expect(acted(trajectory)).toEqual([['shortened', expect.stringContaining('shown more than 1 turns ago')]]);
    expect(lastRequest(trajectory)[2]?.content).toContain('characters left out');
  });
});

it('whatever the policy, what is sent stays inside historyTokens as soon as more than the latest exchange is there', async () => {
  const policies = [
    'historyTokens: 200\n',
    'historyTokens: 200\nnotes: { tokens: 30 }\n',
    'historyTokens: 200\nsummary: { tokens: 30 }\nnotes: { tokens: 20 }\n',
    'historyTokens: 200\nretrieval: { passages: 3, tokens: 40 }\nevict: largest-result\n',
  ];
  for (const policy of policies) {
    let turn = 0;
    const trajectory = await rollOut(phi(policy), () =>
      turn++ % 2 === 0 ? calculate('2**40 + 1') : remember(`note ${turn}`),
    );
    for (const { messages, turnKind } of modelCalls(trajectory)) {
      const exchanges = messages.filter(({ role }) => role === 'assistant').length;
      const opening = estimateTokens([{ role: 'user', content: 'What is 6*7?' }]);
      if (turnKind === 'working' && exchanges > 1)
        expect(estimateTokens(messages) - opening).toBeLessThanOrEqual(200 + 10);
    }
  }
});
