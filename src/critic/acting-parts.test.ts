import { describe, expect, it } from 'vitest';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import { diagnose } from './evidence-critic.ts';
import {
  answers,
  calls,
  type Draft,
  HARNESS,
  RAW,
  returns,
  rollout,
  says,
  silent,
  unreadable,
} from './rollout.fixture.ts';

/** φ with a memory of facts, a cap on results, a check of answers and a middleware that mends calls. */
const PHI = harnessFromFiles(
  new Map([
    ...HARNESS.files,
    ['harness.yaml', 'name: test\nlimits: { turns: 6 }\n'],
    ['memory/facts.md', 'The tide comes at six.\n'],
    ['memory.yaml', 'staleAfterTurns: 2\n'],
    ['middleware/10-cap.yaml', 'kind: output-cap\n'],
    ['middleware/20-check.yaml', 'kind: self-check\noptions: { pattern: "^x" }\n'],
    ['middleware/30-mend.yaml', 'kind: argument-repair\noptions: { json: false }\n'],
  ]),
);
const diagnosed = (events: Draft[], extracted: string | null = '8') =>
  diagnose([rollout(events, { extracted }, PHI)], PHI)[0];

type Acted = Extract<Draft, { type: 'middleware-acted' }>;
const acted = (turn: number, changes: Partial<Acted>): Draft => ({
  type: 'middleware-acted',
  turn,
  middleware: '10-cap',
  kind: 'output-cap',
  hook: 'afterTool',
  action: 'changed-result',
  detail: '',
  setsAside: false,
  ...changes,
});
const remembered = (turn: number, action: 'left-out' | 'shortened'): Draft => ({
  type: 'memory-acted',
  turn,
  action,
  detail: action,
});
const worked = [says(0, RAW), calls(0), returns(0, '7')];
/** A request that shows `content` as what came of the call before. */
const shown = (turn: number, content: string, text = 'It is 8.'): Draft => ({
  ...(says(turn, text) as Extract<Draft, { type: 'model-called' }>),
  messages: [
    { role: 'user', content: 'What is a? It is not 7.' },
    { role: 'assistant', content: RAW },
    { role: 'user', content },
  ],
});

describe('a part of φ that acted', () => {
  it('cut the value out of a result: the middleware, and not the model that never saw it', () => {
    const cut = [...worked, acted(0, {}), shown(1, 'Observation: the value …'), answers('It is 8.')];
    expect(diagnosed(cut)).toMatchObject({ mechanism: 'hook-hid-value', path: 'middleware/10-cap.yaml' });
    const notice = [...worked, acted(0, {}), shown(1, 'Observation: [17 characters cut]'), answers('It is 8.')];
    expect(diagnosed(notice)?.mechanism).toBe('hook-hid-value');
    const kept = [...worked, acted(0, {}), shown(1, 'Observation: … 7'), answers('It is 8.')];
    expect(diagnosed(kept)?.mechanism).toBe('answer-not-tool-value');
  });

  it('cut one of two results of a turn: it is the one before the hook that counts', () => {
    const both = (cut: Draft[]) => [says(0, RAW), calls(0), ...cut, shown(1, 'Observation: 7'), answers('It is 8.')];
    expect(diagnosed(both([returns(0, '7'), returns(0, '9'), acted(0, {})]))?.mechanism).toBe('hook-hid-value');
    expect(diagnosed(both([returns(0, '9'), returns(0, '7'), acted(0, {})]))?.mechanism).not.toBe('hook-hid-value');
  });

  it('left of a long text only a part: that may do', () => {
    const text = 'word '.repeat(40);
    const events = [says(0, RAW), calls(0), returns(0, text), acted(0, {}), shown(1, 'word …'), answers('It is 8.')];
    expect(diagnosed(events)?.mechanism).not.toBe('hook-hid-value');
  });

  it('sent back the reply that held the tool value, and another answer came', () => {
    const sentBack = (reply: string) => [
      ...worked,
      says(1, reply),
      silent(1),
      acted(1, { middleware: '20-check', kind: 'self-check', hook: 'finish', action: 'asked-again', setsAside: true }),
      says(2, 'So 8.'),
      answers('So 8.'),
    ];
    expect(diagnosed(sentBack('It is 7.'))).toMatchObject({
      mechanism: 'hook-set-answer-aside',
      path: 'middleware/20-check.yaml',
    });
    expect(diagnosed(sentBack('It is 70.'))?.mechanism).toBe('answer-not-tool-value');
    expect(diagnosed(sentBack('It is 7.'), '7')?.mechanism).not.toBe('hook-set-answer-aside');
  });

  it('spoke while the model was at work, and the work ended in that turn with turns left', () => {
    const spoken = (turn: number) => [
      ...Array.from({ length: turn }, (_, index) => [
        says(index, RAW),
        calls(index),
        returns(index, `${index}7`),
      ]).flat(),
      acted(turn, { middleware: '20-check', kind: 'budget-reminder', hook: 'beforeModel', action: 'said' }),
      says(turn, 'So 8.'),
      silent(turn),
      answers('So 8.'),
    ];
    expect(diagnosed(spoken(1))?.mechanism).toBe('hook-ended-work');
    const before = acted(0, { middleware: '20-check', kind: 'budget-reminder', hook: 'beforeModel', action: 'said' });
    expect(diagnosed([before, ...spoken(1)])?.mechanism).not.toBe('hook-ended-work');
    // At the last turn but one it was time.
    expect(diagnosed(spoken(4))?.mechanism).not.toBe('hook-ended-work');
  });

  it('mends calls and was told to leave JSON alone', () => {
    const broken = { ...(unreadable(0) as Extract<Draft, { type: 'call-unreadable' }>) };
    const ended = (problem: string) => [
      says(0, '{"name":"look'),
      { ...broken, problem },
      says(1, 'So 8.'),
      answers('So 8.'),
    ];
    expect(diagnosed(ended('no valid JSON'))).toMatchObject({
      mechanism: 'repair-switched-off',
      repair: [{ path: 'middleware/30-mend.yaml#/options/json', old: false, value: true }],
    });
    expect(diagnosed(ended('no closing mark'))?.mechanism).toBe('call-unreadable');
    const mended = [...ended('no valid JSON').slice(0, 2), says(1, RAW), calls(1), returns(1, '7'), answers('7')];
    expect(diagnosed(mended, '7')?.mechanism).toBe('wrong-value');
  });

  it('left facts out', () => {
    expect(diagnosed([remembered(0, 'left-out'), ...worked, answers('7')], '7')).toMatchObject({
      label: 'memory_overflow',
      mechanism: 'facts-left-out',
      path: 'memory.yaml#/facts/tokens',
    });
  });

  it('shortened results as stale: in a third of the requests it is the cause, in one of many it is not', () => {
    const requests = (count: number) => [
      ...worked,
      remembered(1, 'shortened'),
      ...Array.from({ length: count - 1 }, (_, index) => says(index + 1, `Step ${index}.`)),
      answers('7'),
    ];
    expect(diagnosed(requests(3), '7')?.mechanism).toBe('results-shortened');
    expect(diagnosed(requests(4), '7')?.mechanism).toBe('wrong-value');
    const unlimited = harnessFromFiles(new Map([...PHI.files].filter(([path]) => path !== 'memory.yaml')));
    const [evicted] = diagnose([rollout(requests(3), { extracted: '7' }, unlimited)], unlimited);
    expect(evicted?.mechanism).toBe('wrong-value');
  });
});

describe('a final text that holds the tool value', () => {
  it('and another number that was read as the answer: nothing said how the answer has to stand there', () => {
    const ended = (text: string) => [...worked, says(1, text), silent(1), answers(text)];
    expect(diagnosed(ended('So 7, not 8.'))).toMatchObject({
      label: 'prompt_ambiguity',
      mechanism: 'answer-among-others',
    });
    expect(diagnosed(ended('So 7.5, or 17, or 8.'))?.mechanism).toBe('answer-not-tool-value');
    expect(diagnosed(ended('So -7, or 8.'))?.mechanism).toBe('answer-not-tool-value');
  });

  it('for itself, as a number of the task: the text says something else than the tool', () => {
    const events = [...worked, says(1, 'So 7, not 8.'), silent(1), answers('So 7, not 8.')];
    const own = rollout(events, { extracted: '8', problem: 'What are 7 and 1?' }, PHI);
    expect(diagnose([own], PHI)[0]?.mechanism).toBe('answer-not-tool-value');
  });
});
