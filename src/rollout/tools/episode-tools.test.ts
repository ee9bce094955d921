import { afterAll, describe, expect, it } from 'vitest';
import { manualClock } from '../../base/clock.ts';
import { contentHash } from '../../base/content-hash.ts';
import { harnessFromFiles } from '../../harness/parse-harness.ts';
import { scriptedBackend } from '../../model/scripted-backend.ts';
import { javaScriptSandbox } from '../../sandbox/javascript-sandbox.ts';
import { plainProcess } from '../../sandbox/process-sandbox.ts';
import type { Verifier } from '../../task/verifier.ts';
import type { TrajectoryEvent } from '../../trajectory/trajectory.ts';
import { runRollout } from '../run-rollout.ts';
import { openEpisodeTools } from './episode-tools.ts';
import type { ToolHosts } from './tool-hosts.ts';

const hosts: ToolHosts = { javaScript: javaScriptSandbox(), python: null };
afterAll(() => hosts.javaScript.close());

const never = new AbortController().signal;
const CODE_TOOL = (backend: string, limits = '') => `
parameters: { type: object, properties: { code: { type: string } }, required: [code] }
backend: ${backend}
limits: { wallMs: 10000${limits} }
`;
const COUNTER = `
parameters: { type: object, properties: { by: { type: integer } }, required: [by] }
backend: { kind: js, entry: counter.js }
limits: { wallMs: 10000 }
`;
const files = {
  'harness.yaml': 'name: demo\nlimits: { turns: 5 }\nfinalTurn: false\n',
  'tools/run_js/tool.yaml': CODE_TOOL('{ kind: builtin, name: run_js }'),
  'tools/counter/tool.yaml': COUNTER,
  'tools/counter/counter.js': 'let total = 0;\nexport default ({ by }) => { total += by; return { total }; };\n',
};

function phi(changes: Record<string, string> = {}) {
  return harnessFromFiles(new Map(Object.entries({ ...files, ...changes })));
}

function toolOf(harness: ReturnType<typeof phi>, name: string) {
  const tool = harness.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

const anything: Verifier = {
  version: contentHash('anything'),
  verify: async (_task, answer) => ({ kind: 'scored', score: 1, extracted: answer, why: 'any answer' }),
};

/** One rollout whose model says these replies, one a turn. */
async function rollOut(harness: ReturnType<typeof phi>, replies: string[], toolHosts = hosts) {
  return runRollout({
    harness,
    model: scriptedBackend({
      reply: ({ messages }) => replies[messages.filter(({ role }) => role === 'assistant').length] ?? 'done',
    }),
    task: { id: 't', problem: 'p', answer: null, group: 'g', hash: contentHash('t') },
    split: 'train',
    repeat: 0,
    seed: 1,
    verifier: anything,
    sampling: null,
    clock: manualClock(),
    toolHosts,
  });
}

const call = (name: string, args: object) => JSON.stringify({ name, arguments: args });
const values = (events: readonly TrajectoryEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-returned' ? [event.value] : []));

describe('tools that run code', () => {
  it('run a JavaScript file of φ in the sandbox and keep its state within an episode, not beyond', async () => {
    const replies = [call('counter', { by: 2 }), call('counter', { by: 3 })];
    for (let episode = 0; episode < 2; episode++) {
      const { events } = await rollOut(phi(), replies);
      expect(values(events)).toEqual(['{"total":2}', '{"total":5}']);
    }
  });

  it('give the model an interpreter whose variables live as long as the episode', async () => {
    const replies = [call('run_js', { code: 'const x = 20; print("set")' }), call('run_js', { code: 'x * 2 + 2' })];
    const { events } = await rollOut(phi(), replies);
    expect(values(events)).toEqual(['set', '42']);
    const [other] = values((await rollOut(phi(), [call('run_js', { code: 'typeof x' })])).events);
    expect(other).toBe('undefined');
  });

  it('show the model what it did wrong, with what had been printed', async () => {
    const { events, outcome } = await rollOut(phi(), [call('run_js', { code: 'print("so far"); nothing.here' })]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool-failed',
        errorType: 'exception',
        problem: expect.stringMatching(/^so far\nReferenceError/),
      }),
    );
    expect(outcome.kind).toBe('scored');
  });

  it('say "(no output)" rather than nothing', async () => {
    expect(values((await rollOut(phi(), [call('run_js', { code: 'let y = 1' })])).events)).toEqual(['(no output)']);
  });

  it('end a call at its time limit and tell that the state is gone', async () => {
    const harness = phi({
      'tools/run_js/tool.yaml': CODE_TOOL('{ kind: builtin, name: run_js }').replace('10000', '300'),
    });
    const { events } = await rollOut(harness, [call('run_js', { code: 'for (;;);' })]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'tool-failed',
        errorType: 'timeout',
        problem: expect.stringContaining('are gone'),
      }),
    );
  });

  it('cut a long value and say how much is missing', async () => {
    const harness = phi({
      'tools/run_js/tool.yaml': CODE_TOOL('{ kind: builtin, name: run_js }', ', outputCharacters: 10'),
    });
    const [value] = values((await rollOut(harness, [call('run_js', { code: '"a".repeat(15)' })])).events);
    expect(value).toBe(`${'a'.repeat(10)}… [5 more characters]`);
  });

  it('fail in words where φ names code that it does not hold', async () => {
    const harness = phi({ 'tools/counter/tool.yaml': COUNTER.replace('counter.js', 'other.js') });
    const tools = openEpisodeTools(harness, hosts);
    const outcome = await tools.run(toolOf(harness, 'counter'), { by: 1 }, never);
    expect(outcome).toMatchObject({
      kind: 'failed',
      errorType: 'no-code',
      problem: expect.stringContaining('it holds counter.js'),
    });
    tools.close();
  });

  it('leave a rollout unscored where their sandbox does not exist here', async () => {
    const harness = phi({ 'tools/run_js/tool.yaml': CODE_TOOL('{ kind: builtin, name: run_python }') });
    const { outcome } = await rollOut(harness, [call('run_js', { code: '1' })]);
    expect(outcome).toMatchObject({
      kind: 'unscored',
      boundary: 'sandbox',
      why: expect.stringContaining('co-harness setup'),
    });
  });
});

describe('tools that are programs', () => {
  const files = {
    'harness.yaml': 'name: demo\n',
    'tools/count/tool.yaml':
      'parameters: { type: object, properties: { text: { type: string } }, required: [text] }\nbackend: { kind: command, entry: count.sh }\n',
    'tools/count/count.sh': '#!/bin/sh\ncat | wc -c | tr -d " "\n',
  };
  const harness = harnessFromFiles(new Map(Object.entries(files)));

  it('get their arguments as JSON and answer what they print, where the configuration lets them', async () => {
    const tools = openEpisodeTools(harness, { ...hosts, commands: plainProcess });
    const outcome = await tools.run(toolOf(harness, 'count'), { text: 'four' }, never);
    expect(outcome).toEqual({ kind: 'returned', value: String('{"text":"four"}\n'.length) });
    tools.close();
  });

  it('leave a rollout unscored where nobody allowed them, and say why', async () => {
    const tools = openEpisodeTools(harness, { ...hosts, commands: 'bubblewrap is not installed' });
    const outcome = await tools.run(toolOf(harness, 'count'), { text: 'four' }, never);
    expect(outcome).toEqual({ kind: 'unavailable', why: 'tool "count": bubblewrap is not installed' });
    tools.close();
  });
});
