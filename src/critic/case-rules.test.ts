import { describe, expect, it } from 'vitest';
import { type Clue, viewOf } from './case-rules/case-rule.ts';
import { CASE_RULES } from './case-rules/case-rules.ts';
import { harnessDifference } from './case-rules/harness-difference.ts';
import { ownReasoning } from './case-rules/own-reasoning.ts';
import { skillPlace } from './case-rules/skill-place.ts';
import type { Case, CaseRun, CaseStep } from './cases/case.ts';
import { diagnoseCase, labelTotals } from './cases/diagnose-case.ts';
import { expectedAnswer } from './cases/expected-answer.ts';
import { plainCaseSchema, readPlainCase } from './cases/read-plain-case.ts';
import { developmentCases } from './development-cases.fixture.ts';

const PROMPT =
  'You answer questions about rooms with the tools. Look a room up before you answer. Reply with one short sentence that names the room.';
const TOOL = {
  name: 'room',
  description: 'Facts of a room.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
const HARNESS = { system_prompt: PROMPT, tools: [TOOL] };

type Step = { role: string; content: unknown; tool_calls?: unknown };
const ask = (content = 'Is the blue room free?'): Step => ({ role: 'user', content });
const say = (content: string): Step => ({ role: 'assistant', content });
const call = (given: object = { name: 'blue' }, name = 'room'): Step => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ function: { name, arguments: JSON.stringify(given) } }],
});
const twoCalls = (): Step => ({
  ...call(),
  tool_calls: ['blue', 'red'].map((name) => ({ function: { name: 'room', arguments: JSON.stringify({ name }) } })),
});
const back = (content: string): Step => ({ role: 'tool', content });

interface Sketch {
  harness?: object;
  steps: Step[];
  outcome?: unknown;
  task?: string;
}

function caseOf(...runs: Sketch[]): Case {
  const rows = runs.map(({ harness = HARNESS, outcome = 'fail', task = 'Is the blue room free?', steps }) => ({
    task,
    harness,
    outcome,
    steps,
  }));
  return readPlainCase(plainCaseSchema.parse({ id: 'c', problem: '', trace: { runs: rows } }), 'c');
}

const mechanisms = (subject: Case) => {
  const view = viewOf(subject);
  return CASE_RULES.flatMap((rule) => rule.clues(view)).map((clue) => `${clue.label} ${clue.mechanism}`);
};

/** Each row: the clue, a case that has it, and a near miss that has not. */
const ROWS: [string, Case, Case][] = [
  [
    'tool_schema_error back-end-refuses-what-schema-allows',
    caseOf({ steps: [ask(), call(), back('Error 400: invalid value for name')] }),
    caseOf({ steps: [ask(), call(), back('The blue room is free.')] }),
  ],
  [
    'agent_error breaks-clear-schema',
    caseOf({ steps: [ask(), call({ nam: 'blue' }), back('missing required argument name')] }),
    caseOf({ steps: [ask(), call(), back('missing required argument name')] }),
  ],
  [
    'tool_schema_error unfit-argument-schema',
    caseOf({
      steps: [
        ask(),
        call({ title: 'blue' }),
        back('unknown argument title'),
        call({ title: 'Blue' }),
        back('unknown argument title'),
      ],
    }),
    caseOf({ steps: [ask(), call({ title: 'blue' }), back('unknown argument title')] }),
  ],
  [
    'tool_schema_error tool-not-offered',
    caseOf({ steps: [ask(), call({}, 'rooms'), back('ok')] }),
    caseOf({ steps: [ask(), call(), back('ok')] }),
  ],
  [
    'tool_schema_error call-without-result',
    caseOf({ steps: [ask(), say('<room>{"name": "blue"}</room>')] }),
    caseOf({ steps: [ask(), say('<room>{"name": "blue"}</room>'), back('free')] }),
  ],
  [
    'tool_schema_error call-not-parsed',
    caseOf({ steps: [ask(), say('room: blue'), { role: 'loop', content: 'could not parse a tool call' }] }),
    caseOf({ steps: [ask(), say('room: blue'), { role: 'loop', content: 'no more steps' }] }),
  ],
  [
    'middleware_mismatch step-limit-on-call',
    caseOf({
      harness: { ...HARNESS, max_steps: 2 },
      steps: [ask(), call(), back('maybe'), call({ name: 'Blue' }), back('maybe')],
    }),
    caseOf({
      harness: { ...HARNESS, max_steps: 9 },
      steps: [ask(), call(), back('maybe'), call({ name: 'Blue' }), back('maybe')],
    }),
  ],
  [
    'middleware_mismatch unbroken-loop',
    caseOf({ steps: [ask(), call(), back('It depends on the day.'), call(), back('It depends on the day.')] }),
    caseOf({ steps: [ask(), call(), back('It depends on the day.'), call({ name: 'red' }), back('free')] }),
  ],
  [
    'middleware_mismatch retry-without-change',
    caseOf({ steps: [ask(), call(), back('internal error'), call(), back('internal error')] }),
    caseOf({ steps: [ask(), call(), back('internal error'), call({ name: 'Blue' }), back('free')] }),
  ],
  [
    'middleware_mismatch passing-trouble-not-retried',
    caseOf({ steps: [ask(), call(), back('503 temporarily unavailable'), say('I cannot tell.')] }),
    caseOf({ steps: [ask(), call(), back('503 temporarily unavailable'), call(), back('free'), say('Blue is free.')] }),
  ],
  [
    'middleware_mismatch call-ran-twice',
    caseOf({ steps: [ask(), call(), back('booked 1'), back('booked 2')] }),
    caseOf({ steps: [ask(), call(), back('booked 1'), say('ok'), back('booked 2')] }),
  ],
  [
    'middleware_mismatch call-not-run',
    caseOf({ steps: [ask(), twoCalls(), back('free'), say('Blue is free.')] }),
    caseOf({ steps: [ask(), twoCalls(), back('free'), back('taken'), say('Blue is free.')] }),
  ],
  [
    'middleware_mismatch ended-on-a-result',
    caseOf({ steps: [ask(), call(), back('free')] }),
    caseOf({ steps: [ask(), call(), back('free'), say('Blue is free.')] }),
  ],
  [
    'middleware_mismatch changed-after-the-model',
    caseOf({ steps: [ask(), say('It costs $5.')], outcome: 'fail: expected $5, got 5' }),
    caseOf({ steps: [ask(), say('It costs 5.')], outcome: 'fail: expected $5, got 5' }),
  ],
  [
    'tool_schema_error back-end-unlike-its-description',
    caseOf({ steps: [ask(), call(), back('no room with that name'), say('There is none.')] }),
    caseOf({ steps: [ask(), call({ name: 'penthouse' }), back('no room with that name'), say('There is none.')] }),
  ],
  [
    'memory_overflow lost-in-summary',
    caseOf({
      steps: [
        ask('Is Aurora 7 free?'),
        { role: 'system', content: 'Summary so far: a room is wanted.' },
        say('Which room?'),
      ],
    }),
    caseOf({
      steps: [
        ask('Is Aurora 7 free?'),
        { role: 'system', content: 'Summary so far: Aurora 7 is wanted.' },
        say('Yes.'),
      ],
    }),
  ],
  [
    'memory_overflow reads-again',
    caseOf({
      steps: [ask(), ...['a', 'b', 'c', 'a', 'b'].flatMap((name) => [call({ name }), back(`${name} is free`)])],
    }),
    caseOf({ steps: [ask(), ...['a', 'b', 'c', 'd'].flatMap((name) => [call({ name }), back(`${name} is free`)])] }),
  ],
  ['middleware_mismatch void-turn', caseOf({ steps: [ask(), say(' ')] }), caseOf({ steps: [ask(), call()] })],
  [
    'middleware_mismatch time-limit',
    caseOf({ steps: [ask(), call(), back('timed out after 1 s')] }),
    caseOf({ steps: [ask(), call(), back('free until noon')] }),
  ],
  [
    'middleware_mismatch reply-cut-by-length',
    caseOf({
      harness: { ...HARNESS, max_tokens: 8 },
      steps: [ask(), say('The blue room is free in the morning and from')],
    }),
    caseOf({
      harness: { ...HARNESS, max_tokens: 8 },
      steps: [ask(), say('The blue room is free in the morning and from noon.')],
    }),
  ],
  [
    'middleware_mismatch output-cap-hides-value',
    caseOf({ steps: [ask(), call(), back('The blue room … [truncated]')] }),
    caseOf({ steps: [ask(), call(), back('The blue room is free')] }),
  ],
  [
    'middleware_mismatch loop-interferes',
    caseOf({ steps: [ask(), call(), { role: 'hook', content: 'guard hook blocked the call' }] }),
    caseOf({ steps: [ask(), call(), { role: 'hook', content: 'guard is on duty' }] }),
  ],
  [
    'middleware_mismatch changed-before-the-model',
    caseOf({ steps: [ask('Is [REDACTED] free?'), say('Which room?')] }),
    caseOf({ steps: [ask(), say('Which day?')] }),
  ],
  [
    'memory_overflow asks-for-what-was-said',
    caseOf({ steps: [ask(), say('For how many?'), ask('Six.'), say('Could you remind me which room?')] }),
    caseOf({ steps: [ask(), say('Could you provide the day?')] }),
  ],
  [
    'memory_overflow facts-trimmed',
    caseOf({
      steps: [ask(), { role: 'runtime', content: 'history truncated to the last 2 messages' }, say('Which room?')],
    }),
    caseOf({ steps: [ask(), { role: 'runtime', content: 'history written to disk' }, say('Which room?')] }),
  ],
  [
    'memory_overflow not-found-again',
    caseOf({ steps: [ask('My usual room, please.'), call({ q: 'usual room' }, 'recall'), back('[]')] }),
    caseOf({ steps: [ask('My usual room, please.'), call({ q: 'usual room' }, 'recall'), back('blue')] }),
  ],
  [
    'memory_overflow history-limit-below-run',
    caseOf({
      harness: { ...HARNESS, memory: { keep_last: 2 } },
      steps: [ask(), say('When?'), ask('Noon.'), say('Which room?')],
    }),
    caseOf({
      harness: { ...HARNESS, memory: { keep_last: 8 } },
      steps: [ask(), say('When?'), ask('Noon.'), say('Which room?')],
    }),
  ],
  [
    'prompt_ambiguity missing-output-contract',
    caseOf({
      harness: {
        ...HARNESS,
        system_prompt:
          'You know rooms and you help people who ask about them, whatever they ask, at any time of the day.',
      },
      steps: [ask('How many seats?'), say('The blue room has 12 seats.')],
      outcome: 'fail: expected 12, got a sentence',
    }),
    caseOf({
      steps: [ask('How many seats?'), say('The blue room has 14 seats.')],
      outcome: 'fail: expected 12, got 14',
    }),
  ],
  [
    'prompt_ambiguity empty-prompt',
    caseOf({ harness: { ...HARNESS, system_prompt: '' }, steps: [ask(), say('Hm.')] }),
    caseOf({ steps: [ask(), say('Hm.')] }),
  ],
  [
    'prompt_ambiguity narrated-call',
    caseOf({ steps: [ask(), say('I will use room to look this up.')] }),
    caseOf({ steps: [ask(), say('It is free.')] }),
  ],
  [
    'agent_error answer-was-shown',
    caseOf({
      steps: [ask(), call(), back('seats 12; doors 2'), say('It has 2 seats.')],
      outcome: 'fail: expected 12, got 2',
    }),
    caseOf({
      steps: [ask(), call(), back('seats 13; doors 2'), say('It has 2 seats.')],
      outcome: 'fail: expected 12, got 2',
    }),
  ],
  [
    'agent_error arithmetic-slip',
    caseOf({ steps: [ask(), say('12 * 3 = 38')] }),
    caseOf({ steps: [ask(), say('12 * 3 = 36')] }),
  ],
  [
    'tool_schema_error tool-answers-in-other-unit',
    caseOf({ steps: [ask(), call(), back('{"length_cm": 500}'), say('500')], outcome: 'fail: expected 5' }),
    caseOf({ steps: [ask(), call(), back('{"length_m": 5}'), say('500')], outcome: 'fail: expected 5' }),
  ],
  [
    'middleware_mismatch differs-from-passing-runs',
    caseOf(
      { harness: { ...HARNESS, hooks: { strip: true } }, steps: [ask()] },
      { harness: { ...HARNESS, hooks: { strip: false } }, steps: [ask()], outcome: 'pass' },
    ),
    caseOf(
      { harness: { ...HARNESS, hooks: { strip: true } }, steps: [ask()] },
      { harness: { ...HARNESS, hooks: { strip: true } }, steps: [ask()], outcome: 'pass' },
    ),
  ],
  [
    'prompt_ambiguity field-unfilled',
    caseOf({ harness: { prompt: 'Answer: {question}' }, steps: [ask('Answer: {question}'), say('Which question?')] }),
    caseOf({ harness: { prompt: 'Answer: {question}' }, steps: [ask('Answer: Is it free?'), say('Which question?')] }),
  ],
  [
    'prompt_ambiguity demand-never-stated',
    caseOf({ steps: [ask(), say('Yes.')], outcome: 'fail: amounts above 900 must go to a supervisor' }),
    caseOf({
      harness: { system_prompt: `${PROMPT} Amounts above 900 must go to a supervisor.` },
      steps: [ask(), say('Yes.')],
      outcome: 'fail: amounts above 900 must go to a supervisor',
    }),
  ],
  [
    'skill_missing demand-never-stated',
    caseOf({
      harness: { ...HARNESS, routines: [] },
      steps: [ask(), say('Yes.')],
      outcome: 'fail: a porter has to check the lamps first',
    }),
    caseOf({ steps: [ask(), say('Yes.')], outcome: 'fail: a porter has to check the lamps first' }),
  ],
  [
    'agent_error breaks-stated-rule',
    caseOf({ steps: [ask(), say('Yes.')], outcome: 'fail: the reply must be one short sentence' }),
    caseOf({ steps: [ask(), say('Yes.')], outcome: 'fail: a porter must have been there' }),
  ],
  [
    'prompt_ambiguity left-open-which-value',
    caseOf({ steps: [ask(), call(), back('{"net":5,"gross":7}'), say('5')], outcome: 'fail: expected 7' }),
    caseOf({
      task: 'What is the gross rent?',
      steps: [ask('What is the gross rent?'), call(), back('{"net":5,"gross":7}'), say('5')],
      outcome: 'fail: expected 7',
    }),
  ],
  [
    'tool_schema_error unit-unlike-description',
    caseOf({
      harness: { tools: [{ ...TOOL, description: 'Length of a room in kilometres.' }] },
      steps: [ask(), call(), back('3 miles')],
    }),
    caseOf({
      harness: { tools: [{ ...TOOL, description: 'Length of a room in kilometres.' }] },
      steps: [ask(), call(), back('3 km')],
    }),
  ],
  [
    'tool_schema_error pages-out-of-reach',
    caseOf({ steps: [ask(), call(), back('{"rooms":["a"],"next_page":2}')] }),
    caseOf({ steps: [ask(), call(), back('{"rooms":["a"],"next_page":null}')] }),
  ],
  [
    'middleware_mismatch hook-refuses',
    caseOf({
      harness: { ...HARNESS, hooks: [{ event: 'before_tool' }] },
      steps: [ask(), call(), { role: 'tool', content: 'before_tool: denied' }],
    }),
    caseOf({
      harness: { ...HARNESS, hooks: [{ event: 'before_tool' }] },
      steps: [ask(), call(), { role: 'tool', content: 'denied: the room is locked' }],
    }),
  ],
  [
    'middleware_mismatch hook-masks-reply',
    caseOf({
      harness: { ...HARNESS, plugins: [{ replace: ['[0-9]+', '###'] }] },
      steps: [ask(), call(), back('15'), say('### rooms')],
    }),
    caseOf({
      harness: { ...HARNESS, plugins: [{ replace: ['[0-9]+', '###'] }] },
      steps: [ask(), call(), back('### rooms'), say('### rooms')],
    }),
  ],
  [
    'middleware_mismatch stop-cuts-reply',
    caseOf({ harness: { ...HARNESS, stop: ['\n'] }, steps: [ask(), say('The room:')], outcome: 'fail: list missing' }),
    caseOf({ harness: { ...HARNESS, stop: ['\n'] }, steps: [ask(), say('The room:\nblue')], outcome: 'fail' }),
  ],
  [
    'middleware_mismatch loop-ended-run',
    caseOf({ steps: [ask(), call(), back('no'), { role: 'system', content: 'run aborted: tool error' }] }),
    caseOf({ steps: [{ role: 'system', content: 'Runs are aborted on errors.' }, ask(), call(), back('no')] }),
  ],
  [
    'middleware_mismatch delivered-otherwise',
    caseOf({
      steps: [ask(), say('The blue room is free today [1].')],
      outcome: { result: 'fail', delivered: 'The blue room is free today.' },
    }),
    caseOf({
      steps: [ask(), say('The blue room is free today [1].')],
      outcome: { result: 'fail', delivered: 'The blue room is free today [1].' },
    }),
  ],
  [
    'memory_overflow recall-is-irrelevant',
    caseOf({ steps: [ask(), call({ q: 'blue room' }, 'memory_search'), back('yesterday: rain')] }),
    caseOf({ steps: [ask(), call({ q: 'blue room' }, 'memory_search'), back('the blue room is upstairs')] }),
  ],
  [
    'memory_overflow conversation-outgrows-memory',
    caseOf({
      harness: { ...HARNESS, memory: { kind: 'sliding_window', k: 3 } },
      steps: [ask(), say('Yes.'), ask('And now?'), say('Yes.'), ask('Which one?'), say('Red.')],
    }),
    caseOf({
      harness: { ...HARNESS, memory: { kind: 'full', k: 300 } },
      steps: [ask(), say('Yes.'), ask('And now?'), say('Yes.'), ask('Which one?'), say('Red.')],
    }),
  ],
  [
    'skill_missing skill-not-found',
    caseOf({ steps: [ask(), call({ name: 'lock' }, 'load'), back('skill lock not found')] }),
    caseOf({ steps: [ask(), call({ name: 'lock' }, 'load'), back('To lock: turn twice.')] }),
  ],
  [
    'skill_missing skill-breaks-off',
    caseOf({ harness: { ...HARNESS, routines: { lock: 'Turn the key twice and' } }, steps: [ask(), say('Yes.')] }),
    caseOf({ harness: { ...HARNESS, routines: { lock: 'Turn the key twice.' } }, steps: [ask(), say('Yes.')] }),
  ],
  [
    'skill_missing no-skill-in-its-place',
    caseOf({ harness: { ...HARNESS, routines: [] }, steps: [ask(), say('Yes.')] }),
    caseOf({ steps: [ask(), say('Yes.')] }),
  ],
  [
    'memory_overflow state-is-gone',
    caseOf({
      harness: { ...HARNESS, memory: { kind: 'session' } },
      steps: [ask(), call(), back('session expired'), say('Yes.')],
    }),
    caseOf({ steps: [ask(), call(), back('session expired'), say('Yes.')] }),
  ],
  [
    'middleware_mismatch loop-speaks',
    caseOf({ steps: [ask(), say('Yes.'), { role: 'system', content: 'one retry left' }, say('Yes.')] }),
    caseOf(
      { steps: [ask(), say('Yes.'), { role: 'system', content: 'one retry left' }, say('Yes.')] },
      { steps: [ask(), say('Yes.'), { role: 'system', content: 'one retry left' }, say('Yes.')], outcome: 'pass' },
    ),
  ],
  [
    'prompt_ambiguity fails-everywhere',
    caseOf({ task: 'a', steps: [ask('a'), say('one')] }, { task: 'b', steps: [ask('b'), say('two')] }),
    caseOf({ task: 'a', steps: [ask('a'), say('one')] }, { task: 'b', steps: [ask('b'), say('two')], outcome: 'pass' }),
  ],
  [
    'skill_missing trial-and-error',
    caseOf({ steps: [ask(), ...['a', 'b', 'c', 'd'].flatMap((name) => [call({ name }), back('nothing')])] }),
    caseOf({ steps: [ask(), ...['a', 'b'].flatMap((name) => [call({ name }), back('nothing')])] }),
  ],
];

describe('rules for cases of others', () => {
  it.each(ROWS)('%s is a clue of its case', (clue, subject) => expect(mechanisms(subject)).toContain(clue));
  it.each(ROWS)('%s is no clue of a near miss', (clue, _subject, near) => expect(mechanisms(near)).not.toContain(clue));

  it('a difference of the harness counts only where all failing runs have it and no passing one', () => {
    const run = (hooks: object, outcome = 'fail') => ({ harness: { ...HARNESS, hooks }, steps: [ask()], outcome });
    const subject = caseOf(
      run({ fast: true, strip: true }),
      run({ fast: false, strip: true }),
      run({ fast: false, strip: false }, 'pass'),
    );
    expect(harnessDifference.clues(viewOf(subject)).map(({ path }) => path)).toEqual(['/hooks/strip']);
  });

  it('name a place by its JSON pointer, whatever its key holds', () => {
    const subject = caseOf({ harness: { ...HARNESS, 'own/skills': [] }, steps: [ask(), say('Yes.')] });
    expect(skillPlace.clues(viewOf(subject)).map(({ path }) => path)).toEqual(['/own~1skills']);
  });

  it('read a long outcome in one go', () => {
    const outcome = (text: string) => expectedAnswer({ ...(caseOf({ steps: [] }).runs[0] as CaseRun), outcome: text });
    expect(outcome(`fail: expected ${' '.repeat(20_000)}a, b (in any order).`)).toEqual({
      expected: 'a, b',
      got: null,
    });
    expect(outcome(`expected ${' '.repeat(20_000)}a, b; nothing came`)).toEqual({ expected: 'a', got: null });
    expect(outcome(`got ${' '.repeat(20_000)}\n`)).toBeNull();
    const numbers = caseOf({ steps: [ask(), say('1,'.repeat(20_000))] });
    expect(ownReasoning.clues(viewOf(numbers))).toEqual([]);
  }, 10_000);

  it('further clues of one cause count for less, and the same clue twice counts once', () => {
    const clue = (mechanism: string, weight: number): Clue => ({
      label: 'skill_missing',
      component: 'skill',
      path: null,
      mechanism,
      explanation: '',
      weight,
      evidence: [],
      repair: null,
    });
    expect(labelTotals([clue('a', 1), clue('b', 2), clue('b', 1)]).skill_missing).toBe(2.5);
  });

  it('one routine in runs of different tasks speaks for a missing skill, in two runs of one task it does not', () => {
    const tools = ['open', 'count', 'close'].map((name) => ({ name }));
    const steps = (key: string): Step[] => [ask(), ...tools.flatMap(({ name }) => [call({ key }, name), back('done')])];
    const runs = (one: string, other: string) =>
      caseOf(
        { harness: { tools }, task: one, steps: steps('a') },
        { harness: { tools }, task: other, steps: steps('b') },
      );
    expect(mechanisms(runs('Count a', 'Count b'))).toContain('skill_missing routine-rebuilt');
    expect(mechanisms(runs('Count a', 'Count a'))).not.toContain('skill_missing routine-rebuilt');
  });

  it('a memory setting inside a hook makes forgetting a matter of the hook', () => {
    const forgets = (harness: object) =>
      diagnoseCase(
        caseOf({
          harness: { ...HARNESS, ...harness },
          steps: [
            ask(),
            say('For how many?'),
            ask('Six.'),
            { role: 'runtime', content: 'older messages dropped' },
            say('Could you remind me which room?'),
          ],
        }),
      );
    expect(forgets({ memory: { keep_last: 2 } })).toMatchObject({ label: 'memory_overflow', component: 'memory' });
    expect(forgets({ middleware: { trim: { keep_last: 2 } } })).toMatchObject({
      label: 'middleware_mismatch',
      component: 'middleware',
    });
  });
});

describe('diagnoseCase', () => {
  const cases = developmentCases();

  it.each(cases.map(({ want, components, case: subject }) => [subject.id, want, components, subject] as const))(
    'case %s of the development set: %s',
    (_id, want, components, subject) => {
      const verdict = diagnoseCase(subject);
      expect(verdict.label).toBe(want);
      if (components !== undefined) expect(components).toContain(verdict.component);
      expect(verdict.evidence.length).toBeGreaterThan(0);
      expect(verdict.confidence).toBeGreaterThan(0);
      expect(verdict.confidence).toBeLessThanOrEqual(0.95);
    },
  );

  it('never proposes a change for an agent error, and always does for anything else', () => {
    for (const { case: subject } of cases) {
      const { label, repair, component } = diagnoseCase(subject);
      expect(repair === null).toBe(label === 'agent_error');
      expect(component === null).toBe(label === 'agent_error');
    }
  });

  it('points only at events of the case, at its harness, or at what was seen from outside', () => {
    for (const { case: subject } of cases) {
      const events = new Set(subject.runs.flatMap(({ steps }) => steps.map(({ event }: CaseStep) => event)));
      for (const { event } of diagnoseCase(subject).evidence) {
        expect(events.has(event) || event === 'problem' || /^runs\/\d+(\/(harness.*|outcome|task))?$/.test(event)).toBe(
          true,
        );
      }
    }
  });

  it('abstains where nothing stands out, and judges a case without steps or harness without throwing', () => {
    expect(
      diagnoseCase(caseOf({ steps: [ask(), call(), back('blue: closed'), say('The blue room is shut.')] })),
    ).toMatchObject({ label: 'agent_error', repair: null });
    const bare = readPlainCase(plainCaseSchema.parse({ trace: { runs: [{ steps: [] }] } }), 'x');
    expect(diagnoseCase(bare)).toMatchObject({ id: 'x', label: 'agent_error' });
  });
});
