import { describe, expect, it } from 'vitest';
import type { Harness } from '../harness/harness.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { diagnose } from './evidence-critic.ts';
import {
  answers,
  CALL,
  calls,
  type Draft,
  RAW,
  returns,
  rollout,
  says,
  silent,
  unreadable,
} from './rollout.fixture.ts';

const FILES: Readonly<Record<string, string>> = {
  'harness.yaml': 'name: test\n',
  'prompts/system.md': 'Use the tools.\n{{tools}}\n',
  'tools/lookup/tool.yaml':
    'description: Looks a key up.\nparameters: {type: object, properties: {key: {type: string}}, required: [key]}\nbackend: {kind: record}\n',
  'examples/01-a.yaml':
    'problem: What is c?\nsteps: [{call: {tool: lookup, arguments: {key: c}}, result: "3"}, {text: "3"}]\n',
};

/** The working harness with some files changed; an empty text removes one. */
function harness(changes: Record<string, string> = {}): Harness {
  const files = { ...FILES, ...changes };
  return harnessFromFiles(new Map(Object.entries(files).filter(([, text]) => text !== '')));
}

const judge = (events: Draft[], changes: Record<string, string> = {}, options: Parameters<typeof rollout>[1] = {}) => {
  const own = harness(changes);
  const [diagnosis] = diagnose([rollout(events, options, own)], own);
  return diagnosis;
};
const sent = (
  text: string,
  finishReason: 'end' | 'stop-text' | 'length' = 'end',
  content = 'Use the tool lookup.\nWhat is a?',
) => says(0, text, finishReason, content);
const next = (turn: number, content: string) => says(turn, 'It is 8.', 'end', content);
const failedCall: Draft = {
  type: 'tool-failed',
  turn: 0,
  call: CALL,
  errorType: 'not-found',
  problem: 'there is no a here',
};
const noSkill = { 'prompts/system.md': 'Use the tools.\n{{tools}}\n{{skills}}\n' };
const skill = (text: string) => ({ 'skills/finding/SKILL.md': text });

interface Row {
  name: string;
  mechanism: string;
  label: string;
  component: string;
  events: Draft[];
  changes?: Record<string, string>;
  options?: Parameters<typeof rollout>[1];
  /** The same with the cause taken away, and what is left then. */
  near: {
    events?: Draft[];
    changes?: Record<string, string>;
    mechanism: string;
    options?: Parameters<typeof rollout>[1];
  };
}

const wrong = [sent(RAW), calls(0), returns(0, '7'), next(1, 'Use the tool lookup.\nWhat is a?\n7'), answers('7')];

const ROWS: Row[] = [
  {
    name: 'a task prompt without the problem',
    mechanism: 'task-not-shown',
    label: 'prompt_ambiguity',
    component: 'prompt',
    events: [{ ...sent('Hm?'), messages: [{ role: 'user', content: 'Use the tool lookup.' }] } as Draft, silent(0)],
    changes: { 'prompts/task.md': 'Answer the question.\n' },
    near: {
      changes: { 'prompts/task.md': 'Answer: {{problem}}\n' },
      mechanism: 'no-call',
      events: [sent('Hm?'), silent(0)],
    },
  },
  {
    name: 'a template field that nothing fills',
    mechanism: 'field-unfilled',
    label: 'prompt_ambiguity',
    component: 'prompt',
    events: [sent('Hm?', 'end', 'Use the tool lookup. {{toolz}} What is a?'), silent(0)],
    changes: { 'prompts/system.md': 'Use the tools.\n{{toolz}}\n' },
    near: {
      mechanism: 'no-call',
      changes: {},
      events: [sent('Hm?', 'end', 'Use the tool lookup. What is a?'), silent(0)],
    },
  },
  {
    name: 'a result prompt without the result',
    mechanism: 'result-not-shown',
    label: 'prompt_ambiguity',
    component: 'prompt',
    events: [sent(RAW), calls(0), returns(0, '7'), next(1, 'Use the tool lookup.\nDone.'), answers('8')],
    changes: { 'prompts/tool-result.md': 'Done.\n' },
    options: { extracted: '8' },
    near: {
      mechanism: 'answer-not-tool-value',
      changes: { 'prompts/tool-result.md': 'Done: {{result}}\n' },
      options: { extracted: '8' },
    },
  },
  {
    name: 'an error prompt without the problem',
    mechanism: 'error-not-shown',
    label: 'prompt_ambiguity',
    component: 'prompt',
    events: [sent(RAW), calls(0), failedCall, next(1, 'Use the tool lookup.\nTry again.'), silent(1)],
    changes: { 'prompts/error-feedback.md': 'Try again.\n' },
    near: {
      mechanism: 'tool-failed',
      changes: { 'prompts/error-feedback.md': 'Error: {{problem}}\n' },
      events: [sent(RAW), calls(0), failedCall, next(1, 'Use the tool lookup.\nError: there is no a here'), silent(1)],
    },
  },
  {
    name: 'a value cut by the tool’s output limit',
    mechanism: 'output-capped',
    label: 'tool_schema_error',
    component: 'tool',
    events: [sent(RAW), calls(0), returns(0, '12… [900 more characters]'), answers('12')],
    near: {
      mechanism: 'wrong-value',
      events: [sent(RAW), calls(0), returns(0, '12…'), answers('12…')],
      options: { extracted: '12…' },
    },
  },
  {
    name: 'a stop string in the middle of a call',
    mechanism: 'stop-cuts-reply',
    label: 'middleware_mismatch',
    component: 'settings',
    events: [sent('{"name": "lookup",', 'stop-text'), unreadable(0)],
    changes: { 'harness.yaml': 'name: test\nprotocol: {stop: ["\\n"]}\n' },
    near: { mechanism: 'call-unreadable', events: [sent('{"name": "lookup",'), unreadable(0)] },
  },
  {
    name: 'no second try after a bad call',
    mechanism: 'retry-spent',
    label: 'middleware_mismatch',
    component: 'retry',
    events: [sent('{"name": "lookup"'), unreadable(0), answers(null)],
    changes: { 'retry.yaml': 'parseErrors: 0\n' },
    options: { extracted: null },
    near: { mechanism: 'call-unreadable', changes: { 'retry.yaml': 'parseErrors: 1\n' }, options: { extracted: null } },
  },
  {
    name: 'calls that are the product, and an answer from the text',
    mechanism: 'answer-from-text',
    label: 'middleware_mismatch',
    component: 'settings',
    events: [sent(RAW), calls(0), returns(0, 'recorded'), next(1, 'Use the tool lookup.\nrecorded'), answers('Done.')],
    near: {
      mechanism: 'wrong-value',
      events: [sent(RAW), calls(0), returns(0, 'recorded'), answers('[]', 'tool')],
      changes: { 'harness.yaml': 'name: test\nanswer: {from: tool}\n' },
    },
  },
  {
    name: 'a first value taken as the answer where examples go on',
    mechanism: 'answer-from-tool',
    label: 'middleware_mismatch',
    component: 'settings',
    events: [sent(RAW), calls(0), returns(0, '7'), answers('7', 'tool')],
    changes: {
      'harness.yaml': 'name: test\nanswer: {from: tool}\n',
      'tools/lookup/tool.yaml': (FILES['tools/lookup/tool.yaml'] ?? '').replace(
        '{kind: record}',
        '{kind: builtin, name: calculator}',
      ),
    },
    near: {
      mechanism: 'wrong-value',
      changes: {
        'harness.yaml': 'name: test\nanswer: {from: tool}\n',
        'tools/lookup/tool.yaml': (FILES['tools/lookup/tool.yaml'] ?? '').replace(
          '{kind: record}',
          '{kind: builtin, name: calculator}',
        ),
        'examples/01-a.yaml': 'problem: What is c?\nsteps: [{call: {tool: lookup, arguments: {key: c}}}]\n',
      },
    },
  },
  {
    name: 'turns used up with a value at hand and no final turn',
    mechanism: 'final-turn-off',
    label: 'middleware_mismatch',
    component: 'settings',
    events: [
      sent(RAW),
      calls(0),
      returns(0, '7'),
      next(1, '7 lookup What is a?'),
      silent(1),
      { type: 'turn-limit-reached', turn: 1 },
      answers(null),
    ],
    changes: { 'harness.yaml': 'name: test\nfinalTurn: false\n' },
    options: { extracted: null },
    near: { mechanism: 'no-answer-beside-tool-value', changes: {}, options: { extracted: null } },
  },
  {
    name: 'room for skills and no skill',
    mechanism: 'no-skill-in-its-place',
    label: 'skill_missing',
    component: 'skill',
    events: wrong,
    changes: noSkill,
    near: { mechanism: 'wrong-value', changes: { ...noSkill, ...skill('To find a key, look it up and reply.\n') } },
  },
  {
    name: 'a skill that breaks off',
    mechanism: 'skill-breaks-off',
    label: 'skill_missing',
    component: 'skill',
    events: wrong,
    changes: skill('First look the key up.\nThen take its value.\nIf it has none, look for the\n'),
    near: { mechanism: 'wrong-value', changes: skill('First look the key up.\nThen take its value.\n') },
  },
  {
    name: 'a skill for other tasks',
    mechanism: 'skill-for-other-tasks',
    label: 'skill_missing',
    component: 'skill',
    events: wrong,
    changes: skill('Paint walls from top to bottom.\nLet paint dry overnight.\n'),
    near: { mechanism: 'wrong-value', changes: skill('Look the key up with lookup.\n') },
  },
  {
    name: 'a back end that answers other than the examples show',
    mechanism: 'backend-differs',
    label: 'tool_schema_error',
    component: 'tool',
    events: [
      sent('{"name":"lookup","arguments":{"key":"c"}}'),
      { type: 'call-parsed', turn: 0, call: { tool: 'lookup', arguments: { key: 'c' } }, raw: '' },
      { type: 'tool-returned', turn: 0, call: { tool: 'lookup', arguments: { key: 'c' } }, value: '9' },
      answers('9'),
    ],
    options: { extracted: '9' },
    near: {
      mechanism: 'wrong-value',
      events: [
        sent(RAW),
        { type: 'call-parsed', turn: 0, call: { tool: 'lookup', arguments: { key: 'c' } }, raw: '' },
        { type: 'tool-returned', turn: 0, call: { tool: 'lookup', arguments: { key: 'c' } }, value: '3.0' },
        answers('3'),
      ],
      options: { extracted: '3' },
    },
  },
  {
    name: 'a turn limit that leaves no room for the promised retry',
    mechanism: 'turn-limit-before-retry',
    label: 'middleware_mismatch',
    component: 'settings',
    events: [sent('{"name": "lookup"'), unreadable(0), { type: 'turn-limit-reached', turn: 0 }],
    changes: { 'retry.yaml': 'parseErrors: 2\n' },
    options: { extracted: null },
    near: { mechanism: 'call-unreadable', changes: { 'retry.yaml': 'parseErrors: 0\n' }, options: { extracted: null } },
  },
  {
    name: 'a reply cut before its call',
    mechanism: 'cut-in-call',
    label: 'middleware_mismatch',
    component: 'settings',
    events: [{ ...sent('To find a, I first', 'length'), maxTokens: 6 } as Draft, silent(0)],
    near: { mechanism: 'no-call', events: [sent('To find a, I first', 'length'), silent(0)] },
  },
  {
    name: 'a value of the task that no argument can take',
    mechanism: 'value-without-argument',
    label: 'tool_schema_error',
    component: 'tool',
    events: [
      sent(RAW),
      { type: 'tool-returned', turn: 0, call: { tool: 'lookup', arguments: { key: 'what' } }, value: 'recorded' },
      answers('x', 'tool'),
    ],
    changes: { 'harness.yaml': 'name: test\nanswer: {from: tool}\n' },
    options: { problem: 'I ask what Oslo is' },
    near: {
      mechanism: 'wrong-value',
      options: { problem: 'I ask what it is' },
      changes: { 'harness.yaml': 'name: test\nanswer: {from: tool}\n' },
    },
  },
  {
    name: 'a prompt that breaks off',
    mechanism: 'prompt-breaks-off',
    label: 'prompt_ambiguity',
    component: 'prompt',
    events: [sent('It is 8.'), silent(0)],
    changes: { 'prompts/system.md': '{{tools}}\nUse the tools.\nAlways begin with the\n' },
    near: {
      mechanism: 'no-call',
      changes: { 'prompts/system.md': '{{tools}}\nUse the tools.\nAlways begin with one.\n' },
    },
  },
  {
    name: 'a line of a prompt that breaks off',
    mechanism: 'prompt-breaks-off',
    label: 'prompt_ambiguity',
    component: 'prompt',
    events: [sent(RAW), calls(0), returns(0, '7'), next(1, 'What is a?'), answers('8')],
    changes: { 'prompts/system.md': 'Use the tools.\nAlways begin with the\nThen answer.\n{{tools}}\n' },
    near: {
      mechanism: 'wrong-value',
      changes: { 'prompts/system.md': 'Use the tools.\nAlways begin with the\nfirst one, then answer.\n{{tools}}\n' },
    },
  },
];

describe('rules that read φ and what was sent', () => {
  it.each(ROWS)('$name is $mechanism', ({ mechanism, label, component, events, changes, options }) => {
    expect(judge(events, changes, options)).toMatchObject({ mechanism, label, component });
  });

  it.each(ROWS)('$name: not without its cause', ({ events, options, near }) => {
    expect(judge(near.events ?? events, near.changes, near.options ?? options)?.mechanism).toBe(near.mechanism);
  });

  it('every repair it offers applies to the harness it was written for', async () => {
    const { applyEdits } = await import('../harness/apply-patch.ts');
    const repaired = ROWS.flatMap(({ events, changes, options }) => {
      const diagnosis = judge(events, changes, options);
      const edits = (diagnosis?.repair ?? []).filter(({ path }) => path !== 'harness.yaml#/limits/turns');
      return edits.length === 0 ? [] : [applyEdits(harness(changes), edits)];
    });
    expect(repaired.length).toBeGreaterThan(6);
  });

  describe('verdicts that no call under this schema could have pleased', () => {
    const verdict = (why: string, changes: Record<string, string> = {}) => {
      const events: Draft[] = [sent(RAW), calls(0), returns(0, 'recorded'), answers('x', 'tool')];
      const outcome = { kind: 'scored', score: 0, extracted: 'x', why } as const;
      const found = judge(events, { 'harness.yaml': 'name: test\nanswer: {from: tool}\n', ...changes }, { outcome });
      return { mechanism: found?.mechanism, path: found?.path };
    };
    const blamed = (path: string) => ({ mechanism: 'verdict-unlike-schema', path });
    const properties = 'tools/lookup/tool.yaml#/parameters/properties';
    it.each([
      ['an argument that the schema lacks', 'lookup: missing parameter unit', blamed(properties)],
      ['a name that every object has', 'lookup: missing parameter constructor', blamed(properties)],
      [
        'the words of Python',
        "TypeError: lookup() missing 2 required positional arguments: 'key' and 'unit'",
        blamed(properties),
      ],
      [
        'the words of Python for too much',
        "lookup() got an unexpected keyword argument 'key'",
        blamed(`${properties}/key`),
      ],
      ['an argument that the schema demands', 'lookup: unexpected parameter key', blamed(`${properties}/key`)],
      ['a tool that is not offered', 'search: called lookup', blamed('tools')],
    ])('%s', (_, why, expected) => {
      expect(verdict(why)).toEqual(expected);
    });
    it.each([
      ['an argument that the schema has', 'lookup: missing parameter key'],
      ['another spelling of it', 'lookup: missing parameter Key'],
      ['an argument that the schema does not know either', 'lookup: unexpected parameter unit'],
      ['another tool of the harness', 'lookup: called lookup'],
      ['a call that was not made', 'send: missing parameter text'],
      ['a wrong value', 'lookup: wrong value of key'],
      ['prose of a judge', '0 of 3 votes say correct: The answer is missing key details.'],
      ['prose of a test', 'AssertionError: called lookup with key=b'],
      ['a list without names', 'lookup: missing arguments'],
      ['a denial', 'No missing parameter unit.'],
    ])('but not %s', (_, why) => {
      expect(verdict(why).mechanism).toBe('wrong-value');
    });
    const schema = (parameters: string) => ({
      'tools/lookup/tool.yaml': `description: Looks a key up.\nparameters: ${parameters}\nbackend: {kind: record}\n`,
    });
    it.each([
      [
        'an argument that could have been left out',
        'unexpected parameter key',
        '{type: object, properties: {key: {type: string}}}',
      ],
      [
        'an open schema',
        'missing parameter unit',
        '{type: object, properties: {key: {type: string}}, additionalProperties: true}',
      ],
      [
        'a schema with branches',
        'missing parameter unit',
        '{type: object, properties: {key: {type: string}}, anyOf: [{properties: {unit: {}}}, {}]}',
      ],
      ['a call that breaks its schema', 'missing parameter unit', '{type: object, properties: {key: {type: integer}}}'],
    ])('nor under %s', (_, why, parameters) => {
      // The example calls by the first schema, and would be a defect under some of these.
      const changes = { ...schema(parameters), 'examples/01-a.yaml': '' };
      expect(verdict(`lookup: ${why}`, changes).mechanism).not.toBe('verdict-unlike-schema');
    });
  });

  it('asks nothing of a vote that did not count', () => {
    const voted = (vote: number, ...events: Draft[]) => events.map((event): Draft => ({ ...event, vote }));
    const events = [
      ...voted(0, says(0, '', 'window', 'Use the tool lookup.\nWhat is a?'), answers('3')),
      ...voted(1, sent('It is 7.'), answers('7')),
    ];
    expect(judge(events, {}, { extracted: '7' })?.mechanism).toBe('wrong-value');
    expect(judge(events, {}, { extracted: '3' })?.mechanism).toBe('prefix-fills-window');
  });

  it('lays no failure to a defect of φ that the rollout never touched', () => {
    const stray = {
      'tools/send/tool.yaml':
        'parameters: {type: object, properties: {text: {type: string}}, required: [text, mode]}\nbackend: {kind: record}\n',
    };
    const offering = (tools: string) => judge([sent('It is 8.', 'end', `${tools}\nWhat is a?`), answers('8')], stray);
    expect(offering('Use lookup.')?.mechanism).toBe('wrong-value');
    expect(offering('Use lookup or send.')?.mechanism).toBe('impossible-schema');
  });

  it('never throws on an empty rollout', () => {
    expect(judge([])).toBeUndefined();
    const trajectory: Trajectory = rollout([], {}, harness());
    expect(() => diagnose([trajectory], harness())).not.toThrow();
  });
});
