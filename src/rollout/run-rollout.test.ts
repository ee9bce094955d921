import { describe, expect, it } from 'vitest';
import { manualClock } from '../base/clock.ts';
import { contentHash } from '../base/content-hash.ts';
import { AbortedError, CoHarnessError } from '../base/errors.ts';
import { seedFrom } from '../base/random.ts';
import { harnessFromFiles } from '../harness/parse-harness.ts';
import type { GenerationRequest } from '../model/model-backend.ts';
import { ProviderError } from '../model/provider-error.ts';
import { type ScriptedReply, scriptedBackend } from '../model/scripted-backend.ts';
import type { Task } from '../task/task.ts';
import type { Verifier } from '../task/verifier.ts';
import { modelCalls } from '../trajectory/model-calls.ts';
import { trajectorySchema } from '../trajectory/trajectory-schema.ts';
import type { RolloutJob } from './rollout-job.ts';
import { runRollout } from './run-rollout.ts';

const CALCULATOR = `parameters:
  type: object
  properties: { expression: { type: string } }
  required: [expression]
  additionalProperties: false
backend: { kind: builtin, name: calculator }
`;
const call = (expression: string) => `{"name": "calculator", "arguments": {"expression": "${expression}"}}`;

function phi(settings = '', files: Record<string, string> = {}) {
  const written = { 'harness.yaml': `name: demo\n${settings}`, 'tools/calculator/tool.yaml': CALCULATOR, ...files };
  return harnessFromFiles(new Map(Object.entries(written)));
}

/** Replies one after the other; the request decides, so votes and batches stay apart. */
function says(...replies: (string | ScriptedReply)[]) {
  return (request: GenerationRequest) => {
    const turn = request.messages.filter(({ role }) => role === 'assistant').length;
    return replies[Math.min(turn, replies.length - 1)] ?? '';
  };
}

const lastNumber: Verifier = {
  version: contentHash('last number'),
  verify: async (task, answer) => {
    const extracted = answer?.match(/-?\d+(?:\.\d+)?/g)?.at(-1) ?? null;
    return { kind: 'scored', score: extracted === task.answer ? 1 : 0, extracted, why: 'last number' };
  },
};

const task: Task = {
  id: 't',
  problem: 'What is 6 times 7?',
  answer: '42',
  group: 'g',
  hash: contentHash('six times seven'),
};

type Reply = Parameters<typeof scriptedBackend>[0]['reply'];
function job(reply: Reply, changes: Partial<RolloutJob> = {}): RolloutJob {
  const model = scriptedBackend({ reply });
  const fixed = {
    split: 'train',
    repeat: 0,
    seed: 5,
    verifier: lastNumber,
    sampling: null,
    clock: manualClock(),
  } as const;
  return { harness: phi(), model, task, ...fixed, ...changes };
}

async function eventsOf(order: RolloutJob): Promise<string[]> {
  return (await runRollout(order)).events.map(({ type }) => type);
}

describe('the agent loop', () => {
  it('asks, runs the call, shows the value, and takes the final text as the answer', async () => {
    const trajectory = await runRollout(job(says(call('6*7'), 'It is 42.')));
    expect(trajectory.events.map(({ type }) => type)).toEqual([
      'model-called',
      'call-parsed',
      'tool-returned',
      'model-called',
      'no-call',
      'answered',
    ]);
    expect(modelCalls(trajectory)[1]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: call('6*7') },
      { role: 'user', content: '42' },
    ]);
    expect(trajectory).toMatchObject({ answer: 'It is 42.', outcome: { kind: 'scored', score: 1 } });
    const [first, second] = modelCalls(trajectory);
    expect(trajectory.usage.promptTokens).toBe((first?.usage.promptTokens ?? 0) + (second?.usage.promptTokens ?? 0));
    expect(trajectorySchema.parse(JSON.parse(JSON.stringify(trajectory)))).toEqual(trajectory);
  });

  it('ends right after the call where the value is the answer', async () => {
    const trajectory = await runRollout(job(says(call('6*7')), { harness: phi('answer: { from: tool }\n') }));
    expect(modelCalls(trajectory)).toHaveLength(1);
    expect(trajectory).toMatchObject({ answer: '42', outcome: { score: 1 } });
  });

  it('has no answer where the value is the answer and no call was made', async () => {
    const trajectory = await runRollout(job(says('It is 42.'), { harness: phi('answer: { from: tool }\n') }));
    expect(trajectory).toMatchObject({ answer: null, outcome: { kind: 'scored', score: 0 } });
    expect(trajectory.events.map(({ type }) => type)).toContain('no-call');
  });

  it('shows worked examples as earlier turns, rendered like real ones', async () => {
    const example = `problem: What is 1+1?
steps:
  - call: { tool: calculator, arguments: { expression: 1+1 } }
    result: "2"
  - text: It is 2.
`.replace('expression: 1+1', 'expression: "1+1"');
    const harness = phi('', {
      'examples/one.yaml': example,
      'prompts/task.md': 'Question: {{problem}}',
      'prompts/tool-result.md': '{{tool}} says {{result}}',
      'prompts/system.md': 'Tools:\n{{tools}}',
    });
    const trajectory = await runRollout(job(says('', '', call('1+1'), 'It is 2.'), { harness }));
    const messages = modelCalls(trajectory)[1]?.messages ?? [];
    expect(messages[0]?.content).toContain(
      'Tools:\n{"name": "calculator", "description": "", "parameters": {"type": "object"',
    );
    const exampleTurns = messages.slice(1, 5).map(({ role, content }) => `${role}: ${content}`);
    expect(exampleTurns).toEqual([
      'user: Question: What is 1+1?',
      `assistant: ${call('1+1')}`,
      'user: calculator says 2',
      'assistant: It is 2.',
    ]);
    expect(messages.slice(6)).toEqual(messages.slice(2, 4));
  });

  it('asks once more without tools when the working turns are used up', async () => {
    const harness = phi('limits: { turns: 2 }\n', { 'prompts/final-turn.md': 'Answer!' });
    const trajectory = await runRollout(job(says(call('6*7'), '42'), { harness }));
    expect(modelCalls(trajectory).map(({ turnKind }) => turnKind)).toEqual(['working', 'final']);
    expect(modelCalls(trajectory)[1]?.messages.at(-1)).toEqual({ role: 'user', content: '42\n\nAnswer!' });
    expect(trajectory).toMatchObject({ answer: '42' });
    expect(trajectory.events.map(({ type }) => type)).toContain('turn-limit-reached');
  });

  it('never makes more model calls than limits.turns', async () => {
    for (const turns of [1, 2, 5]) {
      const settings = `limits: { turns: ${turns} }\n`;
      expect(modelCalls(await runRollout(job(says(call('1+1')), { harness: phi(settings) })))).toHaveLength(turns);
      const noFinal = phi(`${settings}finalTurn: false\n`);
      expect(await runRollout(job(says(call('1+1')), { harness: noFinal }))).toMatchObject({ answer: null });
    }
  });

  it('gives each call its own seed, the same again on the next run, and the sampling of the job before that of φ', async () => {
    const sampling = { temperature: 0.7, topP: 0.9, topK: 0 };
    const calls = modelCalls(await runRollout(job(says(call('6*7'), '42'), { sampling, repeat: 3 })));
    expect(calls.map(({ seed }) => seed)).toEqual([seedFrom(5, 3, 0), seedFrom(5, 3, 1)]);
    expect(calls[0]?.sampling).toEqual(sampling);
  });
});

describe('failures that φ or the model caused are scored, and the model may try again', () => {
  it.each([
    ['an unreadable call', '{"name": "calculator", "arguments": {"expression": "6*7}', 'call-unreadable'],
    [
      'a call cut off by the token limit',
      { text: '{"name": "calculator", "argu', finishReason: 'length' as const },
      'call-unreadable',
    ],
    ['arguments that the schema refuses', '{"name": "calculator", "arguments": {"expr": "6*7"}}', 'tool-refused'],
    ['a tool that does not exist', '{"name": "search", "arguments": {}}', 'tool-refused'],
    ['a tool that fails', call('6/0'), 'tool-failed'],
  ])('%s', async (_case, reply, event) => {
    const trajectory = await runRollout(job(says(reply, call('6*7'), '42')));
    expect(trajectory.events.map(({ type }) => type)).toContain(event);
    expect(modelCalls(trajectory)[1]?.messages.at(-1)?.content).toMatch(/^Error: /);
    expect(trajectory).toMatchObject({ outcome: { score: 1 } });
  });

  it('stops feeding errors back when retry.yaml allows no more, and goes to the final turn', async () => {
    const harness = phi('limits: { turns: 9 }\n', { 'retry.yaml': 'parseErrors: 1\n' });
    const events = await eventsOf(
      job(says('{"name": "calculator"', '{"name": "calculator"', 'I give up'), { harness }),
    );
    expect(events.filter((type) => type === 'call-unreadable')).toHaveLength(2);
    expect(events.filter((type) => type === 'model-called')).toHaveLength(3);
  });

  it('keeps the raw text of malformed arguments and a conversation any server accepts', async () => {
    const raw = '{"name": "calculator", "arguments": {"expression": "He said "hi""}}';
    const trajectory = await runRollout(job(says(raw, '42')));
    expect(trajectory.events.find(({ type }) => type === 'call-unreadable')).toMatchObject({ raw });
    const roles = modelCalls(trajectory)[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant', 'user']);
  });

  it('counts running out of time as a score of 0, with an event, because φ may have caused it', async () => {
    const clock = manualClock();
    const slow = (request: GenerationRequest) => {
      clock.advance(700);
      return says(call('6*7'))(request);
    };
    const trajectory = await runRollout(job(slow, { clock, harness: phi('limits: { turns: 9, wallMs: 1000 }\n') }));
    expect(trajectory).toMatchObject({ answer: null, outcome: { kind: 'scored', score: 0 } });
    expect(trajectory.events.at(-1)?.type).toBe('wall-limit-reached');
    const hanging = says(call('6*7'), '42');
    const reply = (request: GenerationRequest) =>
      request.messages.length > 1 ? new Promise<string>(() => {}) : hanging(request);
    const cut = await runRollout(job(reply, { harness: phi('limits: { wallMs: 400 }\n') }));
    expect(cut).toMatchObject({ outcome: { kind: 'scored', score: 0 } });
  });

  it('trims the oldest exchanges when the history is too long, and says so', async () => {
    const harness = phi('limits: { turns: 6 }\n', { 'memory.yaml': 'historyTokens: 60\n' });
    const long = call(`1${'+1'.repeat(40)}`);
    let turn = 0;
    const trajectory = await runRollout(job(() => (turn++ < 3 ? long : '42'), { harness }));
    expect(trajectory.events.filter(({ type }) => type === 'history-trimmed').length).toBeGreaterThan(0);
    const last = modelCalls(trajectory).at(-1)?.messages ?? [];
    expect(last[0]?.content).toBe(task.problem);
    expect(last).toHaveLength(3);
  });
});

describe('infrastructure is never a score', () => {
  it('tries a retryable model error again and then leaves the rollout unscored', async () => {
    let calls = 0;
    const down = () => {
      calls++;
      throw new ProviderError('unreachable', 'connection refused', { details: { retryAfterMs: 1 } });
    };
    const trajectory = await runRollout(job(down, { harness: phi('', { 'retry.yaml': 'modelErrors: 2\n' }) }));
    expect(calls).toBe(3);
    expect(trajectory.outcome).toMatchObject({ kind: 'unscored', boundary: 'provider' });
    expect(trajectory.events.map(({ type }) => type)).toEqual(['fault', 'retried', 'fault', 'retried', 'fault']);
  });

  it('recovers when the model comes back, with the same seed', async () => {
    const seeds: number[] = [];
    const flaky = (request: GenerationRequest) => {
      seeds.push(request.seed);
      if (seeds.length === 1) throw new ProviderError('engine', 'crashed', { details: { retryAfterMs: 1 } });
      return '42';
    };
    expect(await runRollout(job(flaky))).toMatchObject({ outcome: { score: 1 } });
    expect(seeds[0]).toBe(seeds[1]);
  });

  it('an engine that finishes no call in time leaves the rollout unscored: a busy machine is not a bad harness', async () => {
    const stuck = job(() => new Promise(() => {}), { harness: phi('limits: { wallMs: 30 }\n') });
    expect((await runRollout(stuck)).outcome).toMatchObject({ kind: 'unscored', boundary: 'provider' });
  });

  it('does not retry what cannot come right', async () => {
    let calls = 0;
    const locked = () => {
      calls++;
      throw new ProviderError('unauthorised', '401');
    };
    expect((await runRollout(job(locked))).outcome).toMatchObject({ kind: 'unscored', boundary: 'provider' });
    expect(calls).toBe(1);
  });

  it.each([
    ['throws', async () => Promise.reject(new Error('no python'))],
    ['says it could not run', async () => ({ kind: 'unscored' as const, why: 'no python' })],
    [
      'gives a score outside [0, 1]',
      async () => ({ kind: 'scored' as const, score: Number.NaN, extracted: null, why: '' }),
    ],
  ])('a verifier that %s leaves the rollout unscored', async (_case, verify) => {
    const trajectory = await runRollout(job(says('42'), { verifier: { version: contentHash('v'), verify } }));
    expect(trajectory.outcome).toMatchObject({ kind: 'unscored', boundary: 'verifier' });
    expect(trajectory.events.at(-1)).toMatchObject({ type: 'fault', boundary: 'verifier' });
  });

  it('a tool back end that this installation does not have leaves the rollout unscored', async () => {
    const files = {
      'tools/calculator/tool.yaml': CALCULATOR.replace(
        'kind: builtin, name: calculator',
        'kind: python, entry: main.py',
      ),
      'tools/calculator/main.py': 'def run(expression):\n  return expression\n',
    };
    const trajectory = await runRollout(job(says(call('6*7')), { harness: phi('', files) }));
    expect(trajectory.outcome).toMatchObject({ kind: 'unscored', boundary: 'sandbox' });
  });

  it('lets the user stop a verifier, and takes no verdict from one that was stopped', async () => {
    const controller = new AbortController();
    const verify: Verifier['verify'] = async (_task, _answer, signal) => {
      controller.abort();
      return { kind: 'scored', score: signal?.aborted ? 0 : 1, extracted: null, why: 'stopped' };
    };
    const verifier = { version: contentHash('v'), verify };
    const running = runRollout(job(says('42'), { verifier, signal: controller.signal }));
    await expect(running).rejects.toBeInstanceOf(AbortedError);
  });

  it('rejects with AbortedError only when the user stops', async () => {
    const controller = new AbortController();
    const running = runRollout(job(() => new Promise(() => {}), { signal: controller.signal }));
    controller.abort();
    await expect(running).rejects.toBeInstanceOf(AbortedError);
  });
});

describe('votes', () => {
  it('take the majority of the extracted answers and add up the cost', async () => {
    const first = seedFrom(5, 0, 0);
    const reply = ({ seed }: GenerationRequest) =>
      seed === first ? 'I say 41' : `So it is 42 (${seed})`.replace(/\(.*/, '');
    const trajectory = await runRollout(job(reply, { harness: phi('votes: 3\n') }));
    expect(trajectory.outcome).toMatchObject({ score: 1, extracted: '42' });
    const calls = modelCalls(trajectory);
    expect(calls.map(({ vote }) => vote)).toEqual([0, 1, 2]);
    expect(new Set(calls.map(({ seed }) => seed)).size).toBe(3);
    expect(trajectory.events.map(({ id }) => id)).toEqual(trajectory.events.map((_, index) => `e${index}`));
    expect(trajectory.usage.completionTokens).toBe(calls.reduce((sum, { usage }) => sum + usage.completionTokens, 0));
  });

  it('go to the earliest on a tie', async () => {
    const reply = ({ seed }: GenerationRequest) => `${seed}`;
    const trajectory = await runRollout(job(reply, { harness: phi('votes: 3\n') }));
    expect(trajectory.answer).toBe(`${seedFrom(5, 0, 0)}`);
  });
});

describe('tools that a task brings', () => {
  const brought = [
    {
      name: 'geo.find',
      description: 'Finds',
      parameters: {
        type: 'dict',
        properties: { city: { type: 'string' }, size: { type: 'float' } },
        required: ['city'],
      },
    },
  ];
  const withTools: Task = { ...task, fields: { tools: brought } };
  const harness = harnessFromFiles(
    new Map([
      ['harness.yaml', 'name: d\nanswer: { from: tool }\n'],
      ['prompts/system.md', '{{tools}}'],
    ]),
  );

  it('are offered with normalised schemas, and their calls are the answer', async () => {
    const reply =
      '{"name": "geo.find", "arguments": {"city": "Oslo", "size": 1.5}} {"name": "geo.find", "arguments": {"city": "Bern"}}';
    const trajectory = await runRollout(job(says(reply), { task: withTools, harness }));
    expect(modelCalls(trajectory)[0]?.messages[0]?.content).toContain(
      '{"type": "object", "properties": {"city": {"type": "string"}, "size": {"type": "number"}}',
    );
    expect(JSON.parse(trajectory.answer ?? '')).toEqual([
      { 'geo.find': { city: 'Oslo', size: 1.5 } },
      { 'geo.find': { city: 'Bern' } },
    ]);
  });

  it('a reply without a call says that none fits', async () => {
    expect((await runRollout(job(says('None of these.'), { task: withTools, harness }))).answer).toBe('[]');
  });

  it('a task whose tools cannot be read is unscored and says why', async () => {
    const broken: Task = { ...task, fields: { tools: [{ title: 'x' }] } };
    const trajectory = await runRollout(job(says('42'), { task: broken, harness }));
    expect(trajectory.outcome).toMatchObject({ kind: 'unscored' });
    expect(trajectory.outcome.why).toContain('task t, fields.tools');
  });
});

it('errors thrown by a scripted model are infrastructure, whatever their class', async () => {
  const reply = () => {
    throw new CoHarnessError('strange', 'strange');
  };
  expect((await runRollout(job(reply))).outcome).toMatchObject({ kind: 'unscored', boundary: 'provider' });
});
