import { describe, expect, it } from 'vitest';
import { seededRandom } from '../base/random.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import { diagnose } from './evidence-critic.ts';
import { answers, type Draft, rollout, says } from './rollout.fixture.ts';

const FILES = {
  'harness.yaml': 'name: test\n',
  'prompts/system.md': 'Use the tools.\n{{tools}}\n',
  'tools/lookup/tool.yaml': 'parameters: {type: object, properties: {key: {type: string}}}\nbackend: {kind: record}\n',
  'tools/send/tool.yaml': 'parameters: {type: object, properties: {text: {type: string}}}\nbackend: {kind: record}\n',
};
const PLAIN = harnessFromFiles(new Map(Object.entries(FILES)));
const ROUTINES = harnessFromFiles(
  new Map([
    ...Object.entries(FILES),
    ['prompts/system.md', 'Use the tools.\n{{tools}}\n{{skills}}\n'],
    ['skills/ferries/SKILL.md', 'A ferry crossing takes 25 minutes of loading.\n'],
    ['skills/greetings/SKILL.md', 'Say the name of the tools lookup and send first.\n'],
  ]),
);

interface Sketch {
  problem: string;
  tool?: string;
  /** What the call looks up; the problem where absent. */
  key?: string;
  passes?: boolean;
  /** What the verifier says of a failure. */
  why?: string;
}

/** A rollout in which one call goes through, whatever its answer is worth. */
function runOf(
  { problem, tool = 'lookup', key = problem, passes = false, why = '' }: Sketch,
  harness = PLAIN,
): Trajectory {
  const call = { tool, arguments: tool === 'send' ? { text: key } : { key } };
  const events: Draft[] = [
    says(
      0,
      JSON.stringify({ name: tool, arguments: call.arguments }),
      'end',
      `Use the tools lookup and send.\n${problem}`,
    ),
    { type: 'call-parsed', turn: 0, call, raw: JSON.stringify(call) },
    { type: 'tool-returned', turn: 0, call, value: '7' },
    says(1, '7'),
    answers('7'),
  ];
  const score = passes ? 1 : 0;
  return rollout(events, { problem, outcome: { kind: 'scored', score, extracted: '7', why } }, harness);
}

const numbered = (count: number, make: (index: number) => Sketch) => Array.from({ length: count }, (_, i) => make(i));
const labels = (sketches: Sketch[], harness = PLAIN) =>
  diagnose(
    sketches.map((sketch) => runOf(sketch, harness)),
    harness,
  ).map(({ label, path, mechanism }) => ({ label, path, mechanism }));

const OTHERS = numbered(16, (i) => ({ problem: `How far is stop number ${i}?`, passes: true }));

describe('causes that failures share', () => {
  it('are laid to the tool that failing rollouts call and passing ones do not', () => {
    const failing = numbered(5, (i) => ({ problem: `How far is stop number ${i + 50}?`, tool: 'send' }));
    expect(labels([...failing, ...OTHERS])).toEqual(
      failing.map(() => ({ label: 'tool_schema_error', path: 'tools/send/tool.yaml', mechanism: 'shared-by-calls' })),
    );
  });

  it('are laid to a tool however many words the tasks hold: three failures of its three calls are no chance among two tools', () => {
    const wordy = (index: number) =>
      Array.from({ length: 12 }, (_, at) => `word${'abcdefghijklmnopqrst'[index]}${'abcdefghijkl'[at]}`).join(' ');
    const failing = numbered(3, (i) => ({ problem: wordy(i), tool: 'send' }));
    const passing = numbered(13, (i) => ({ problem: wordy(i + 3), passes: true }));
    expect(labels([...failing, ...passing])).toEqual(
      failing.map(() => ({ label: 'tool_schema_error', path: 'tools/send/tool.yaml', mechanism: 'shared-by-calls' })),
    );
    expect(labels([...failing, ...passing.slice(0, 4)]).map(({ label }) => label)).not.toContain('tool_schema_error');
  });

  describe('of an argument that may take some values only', () => {
    const enumerated = harnessFromFiles(
      new Map([
        ...Object.entries(FILES),
        [
          'tools/lookup/tool.yaml',
          'parameters: {type: object, properties: {key: {type: string, enum: [red, blue]}}}\nbackend: {kind: record}\n',
        ],
      ]),
    );
    const chosen = (named: string, key: string, passes: boolean, index: number) =>
      runOf({ problem: `How far is the ${named} stop number ${index}?`, key, passes }, enumerated);
    const passing = Array.from({ length: 12 }, (_, i) =>
      chosen(i % 2 ? 'red' : 'blue', i % 2 ? 'red' : 'blue', true, i),
    );
    const colours = ['green', 'grey', 'brown', 'pink'];
    const verdicts = (failing: Trajectory[]) =>
      diagnose([...failing, ...passing], enumerated).map(({ mechanism, path }) => ({ mechanism, path }));

    it('are laid to its values where failing tasks name none of them', () => {
      const failing = colours.map((colour, i) => chosen(colour, 'red', false, i + 50));
      expect(verdicts(failing)[0]).toEqual({
        mechanism: 'shared-by-choices',
        path: 'tools/lookup/tool.yaml#/parameters/properties/key/enum',
      });
    });

    it('are laid to the whole tool where each of its calls is marked so: nothing tells its values from the rest', () => {
      const failing = colours.map((colour, i) => chosen(colour, 'red', false, i + 50));
      const others = numbered(12, (i) => ({ problem: `Send word number ${i}.`, tool: 'send', passes: true }));
      const [verdict] = diagnose([...failing, ...others.map((sketch) => runOf(sketch, enumerated))], enumerated);
      expect(verdict).toMatchObject({ mechanism: 'shared-by-calls', path: 'tools/lookup/tool.yaml' });
    });

    it('say nothing where a call gave what is no choice at all', () => {
      const failing = colours.map((colour, i) => chosen(colour, 'toString', false, i + 50));
      expect(verdicts(failing)[0]?.mechanism).not.toBe('shared-by-choices');
    });

    it('are the agent’s where failing tasks name what it chose', () => {
      const failing = colours.map((_, i) => chosen('red', 'red', false, i + 50));
      expect(verdicts(failing)[0]?.mechanism).not.toBe('shared-by-choices');
    });
  });

  it('are read from the vote that counted: a tool that only another vote called is not to blame', () => {
    const failing = numbered(5, (i) => ({ problem: `How far is stop number ${i + 50}?` })).map((sketch) => {
      const counted = runOf(sketch);
      const other = runOf({ ...sketch, tool: 'send' }).events.map((event) =>
        event.type === 'answered' ? { ...event, answer: '3', vote: 0 } : { ...event, vote: 0 },
      );
      return { ...counted, events: [...other, ...counted.events.map((event) => ({ ...event, vote: 1 }))] };
    });
    const found = diagnose([...failing, ...OTHERS.map((sketch) => runOf(sketch))], PLAIN);
    expect(found.map(({ label }) => label)).toEqual(failing.map(() => 'agent_error'));
  });

  it('are no routine’s where nearly all failures have a cause of their own', () => {
    const verdicts = numbered(7, (i) => ({
      problem: `How far is stop number ${i}?`,
      tool: 'send',
      why: 'send: missing parameter unit',
    }));
    const slip = { problem: 'How far is the pier?' };
    expect(labels([...verdicts, slip], ROUTINES).at(-1)?.label).toBe('agent_error');
    const silent = numbered(7, (i) => ({ problem: `How far is stop number ${i}?` }));
    expect(labels([...silent, slip], ROUTINES).at(-1)?.mechanism).toBe('wrong-value-everywhere');
  });

  it('are found by chance in fewer than one of twenty searches where failures have nothing to do with tools and words', () => {
    const random = seededRandom(5);
    const names = ['lookup', 'send'];
    const worlds = 200;
    let laid = 0;
    for (let world = 0; world < worlds; world++) {
      const share = 1 + random.below(6);
      const sketches = numbered(24 + random.below(36), () => ({
        problem: Array.from(
          { length: 6 },
          () => `word${'abcdefghij'[random.below(10)]}${'klmnopqrst'[random.below(10)]}`,
        ).join(' '),
        tool: names[random.below(2)] as string,
        passes: random.below(10) >= share,
      }));
      if (labels(sketches).some(({ label }) => label !== 'agent_error')) laid++;
    }
    expect(laid).toBeLessThan(worlds / 20);
  });

  it('count what a verdict shows beside what only failed', () => {
    const failing = numbered(4, (i) => ({
      problem: `How far is stop number ${i + 50}?`,
      tool: 'send',
      why: i < 2 ? 'send: missing parameter unit' : 'wrong',
    }));
    expect(labels([...failing, ...OTHERS]).map(({ label, mechanism }) => [label, mechanism])).toEqual([
      ['tool_schema_error', 'verdict-unlike-schema'],
      ['tool_schema_error', 'verdict-unlike-schema'],
      ['tool_schema_error', 'shared-by-calls'],
      ['tool_schema_error', 'shared-by-calls'],
    ]);
  });

  it('count a group once: rollouts of one task share its fate', () => {
    const failing = numbered(6, (i) => ({ problem: `How far is stop number ${i + 50}?`, tool: 'send' }));
    const grouped = (groups: number) => [
      ...failing.map((sketch, i) => ({ ...runOf(sketch), group: `twin ${i % groups}` })),
      ...OTHERS.map((sketch) => runOf(sketch)),
    ];
    expect(diagnose(grouped(3), PLAIN)[0]?.mechanism).toBe('shared-by-calls');
    expect(diagnose(grouped(2), PLAIN)[0]?.label).toBe('agent_error');
  });

  it('are laid to the routine that speaks of what failing tasks are about', () => {
    const failing = numbered(5, (i) => ({ problem: `How far is the ferry number ${i + 50}?` }));
    expect(labels([...failing, ...OTHERS], ROUTINES)).toEqual(
      failing.map(() => ({ label: 'skill_missing', path: 'skills/ferries/SKILL.md', mechanism: 'shared-by-tasks' })),
    );
  });

  it('are a missing routine where nothing speaks of such tasks', () => {
    const failing = numbered(5, (i) => ({ problem: `How far is the ferry number ${i + 50}?` }));
    expect(labels([...failing, ...OTHERS])[0]).toMatchObject({ label: 'skill_missing', path: 'skills' });
  });

  it('are laid to the routine that speaks of these tasks, not to one about others that fail as often', () => {
    const ferries = numbered(5, (i) => ({ problem: `How far is the ferry number ${i + 50}?` }));
    const trams = numbered(5, (i) => ({ problem: `How far is the tram number ${i + 70}?` }));
    const harness = harnessFromFiles(
      new Map([...ROUTINES.files, ['skills/a-trams/SKILL.md', 'A tram ride takes 9 minutes.\n']]),
    );
    const found = labels([...ferries, ...trams, ...OTHERS], harness);
    expect(found.map(({ path }) => path)).toEqual([
      ...ferries.map(() => 'skills/ferries/SKILL.md'),
      ...trams.map(() => null),
    ]);
  });

  it('stay with the agent where failures are scattered, or so few that chance explains them', () => {
    const scattered = numbered(5, (i) => ({ problem: `How far is stop number ${i + 50}?` }));
    expect(labels([...scattered, ...OTHERS]).map(({ label }) => label)).toEqual(scattered.map(() => 'agent_error'));
    const few = numbered(2, (i) => ({ problem: `How far is the ferry number ${i + 50}?` }));
    expect(labels([...few, ...OTHERS]).map(({ label }) => label)).toEqual(['agent_error', 'agent_error']);
  });

  it('stay with the agent where as many of the marked rollouts pass', () => {
    const mixed = numbered(10, (i) => ({ problem: `How far is the ferry number ${i + 50}?`, passes: i % 2 === 0 }));
    expect(new Set(labels([...mixed, ...OTHERS]).map(({ label }) => label))).toEqual(new Set(['agent_error']));
  });

  it('are laid to the routines where all rollouts fail with them, and to nobody without routines', () => {
    const all = numbered(10, (i) => ({ problem: `How far is stop number ${i}?` }));
    expect(labels(all, ROUTINES).map(({ mechanism }) => mechanism)).toEqual(all.map(() => 'wrong-value-everywhere'));
    expect(new Set(labels(all).map(({ label }) => label))).toEqual(new Set(['agent_error']));
  });

  it('are laid to the facts where all rollouts fail, routines stand there and no skill is', () => {
    const all = numbered(10, (i) => ({ problem: `How far is stop number ${i}?` }));
    const harness = harnessFromFiles(
      new Map([...PLAIN.files, ['memory/routes.md', 'A stop is 2 km from the next.\n']]),
    );
    expect(labels(all, harness)[0]).toMatchObject({ label: 'memory_overflow', path: 'memory/routes.md' });
  });
});

describe('verdicts that name a tool', () => {
  const missed = (count: number, why: string) =>
    numbered(count, (i) => ({ problem: `Stop number ${i + (why.startsWith('send') ? 0 : 50)}?`, why }));

  it('more often than errors here and there would are laid to that tool, and to the argument that most of them name', () => {
    const found = labels([...missed(9, 'send: wrong value of text'), ...missed(1, 'lookup: missing parameter key')]);
    expect(found.slice(0, 9)).toEqual(
      found.slice(0, 9).map(() => ({
        label: 'tool_schema_error',
        path: 'tools/send/tool.yaml#/parameters/properties/text',
        mechanism: 'blamed-by-verdicts',
      })),
    );
    expect(found[9]).toMatchObject({ label: 'agent_error' });
    expect(labels(missed(6, 'send: called lookup'))[0]).toMatchObject({ path: 'tools/send/tool.yaml' });
  });

  it('only by an ordinary word that is a tool’s name too stay with the agent', () => {
    expect(labels(missed(9, 'nothing to send, 8 is not 7'))[0]).toMatchObject({ label: 'agent_error' });
  });

  it('as often as chance has it stay with the agent', () => {
    const even = [...missed(4, 'send: wrong value of text'), ...missed(4, 'lookup: missing parameter key')];
    expect(new Set(labels(even).map(({ label }) => label))).toEqual(new Set(['agent_error']));
  });

  it('stay with the agent where most rollouts that call the tool pass', () => {
    const passing = numbered(7, (i) => ({ problem: `Stop number ${i}?`, tool: 'send', passes: true }));
    const failing = missed(6, 'send: wrong value of text').map((sketch) => ({ ...sketch, tool: 'send' }));
    expect(labels(failing)[0]).toMatchObject({ label: 'tool_schema_error' });
    const found = labels([...failing, ...passing]);
    expect(new Set(found.map(({ label }) => label))).toEqual(new Set(['agent_error']));
  });
});
