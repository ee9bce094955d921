import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AttributeOptions, attribute } from './attribute.ts';
import type { CaseVerdict } from './cases/case-verdict.ts';
import { commandReader } from './reader/command-reader.ts';
import { answers, calls, HARNESS, RAW, returns, rollout, says, silent } from './rollout.fixture.ts';

function fileOf(...values: unknown[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'attribute-')), 'file.jsonl');
  writeFileSync(file, values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n'));
  return file;
}

async function verdictsOf(
  file: string,
  options: Partial<AttributeOptions> = {},
): Promise<{ verdicts: CaseVerdict[]; notices: string[] }> {
  const verdicts: CaseVerdict[] = [];
  const notices: string[] = [];
  await attribute(file, {
    reader: null,
    votes: 1,
    harnessOf: async (hash) => (hash === HARNESS.hash ? HARNESS : null),
    onVerdict: (verdict) => verdicts.push(verdict),
    onNotice: (text) => notices.push(text),
    ...options,
  });
  return { verdicts, notices };
}

const KEYS = ['component', 'confidence', 'evidence', 'id', 'label', 'mechanism', 'repair'];
const noCall = rollout([says(0, 'It is 7.'), silent(0)]);
const evalLine = (id: string, trajectory: unknown) => ({
  id,
  repeat: 0,
  seed: 1,
  score: 0,
  answer: null,
  expected: '7',
  tokens: 3,
  trajectory: { hash: 'x', ...(trajectory as object) },
});

const PLAIN = {
  id: 'mine',
  problem: 'The light stays off.',
  trace: {
    runs: [
      {
        task: 'Light on',
        harness: {
          system_prompt: 'You switch lights with the tool. Say OK when it is done.',
          tools: [
            {
              name: 'light',
              description: 'Switches a light.',
              parameters: { type: 'object', properties: { on: { type: 'boolean' } } },
            },
          ],
        },
        steps: [
          { role: 'user', content: 'Light on' },
          { role: 'assistant', content: '', tool_calls: [{ function: { name: 'light', arguments: '{"on":true}' } }] },
          { role: 'tool', content: 'Error 400: invalid value for on' },
        ],
        outcome: 'fail',
      },
    ],
  },
};

describe('attribute', () => {
  it('answers for a plain case with exactly the promised fields', async () => {
    const { verdicts } = await verdictsOf(fileOf(PLAIN));
    expect(verdicts).toHaveLength(1);
    expect(Object.keys(verdicts[0] ?? {}).sort()).toEqual(KEYS);
    expect(verdicts[0]).toMatchObject({ id: 'mine', label: 'tool_schema_error', component: 'tool' });
    expect(Object.keys(verdicts[0]?.repair?.[0] ?? {}).sort()).toEqual(['new', 'old', 'path']);
  });

  it('reads plain cases as a list, one a line, and under "cases", in file order', async () => {
    for (const file of [
      fileOf([PLAIN, { ...PLAIN, id: 'two' }]),
      fileOf(PLAIN, { ...PLAIN, id: 'two' }),
      fileOf({ cases: [PLAIN, { ...PLAIN, id: 'two' }] }),
    ]) {
      expect((await verdictsOf(file)).verdicts.map(({ id }) => id)).toEqual(['mine', 'two']);
    }
  });

  it('reads OpenAI chat messages with tools beside them', async () => {
    const [{ harness, steps }] = PLAIN.trace.runs as [(typeof PLAIN.trace.runs)[0]];
    const messages = [{ role: 'system', content: harness.system_prompt }, ...steps];
    const { verdicts } = await verdictsOf(
      fileOf({ id: 'chat', messages, tools: harness.tools.map((tool) => ({ type: 'function', function: tool })) }),
    );
    expect(verdicts).toMatchObject([{ id: 'chat', label: 'tool_schema_error', evidence: [{ event: 'messages/3' }] }]);
    expect((await verdictsOf(fileOf(messages))).verdicts).toHaveLength(1);
  });

  it('reads ATIF 1.7', async () => {
    const atif = {
      schema_version: 'ATIF-v1.7',
      trajectory_id: 'run-9',
      agent: {
        name: 'a',
        version: '1',
        tool_definitions: [
          {
            type: 'function',
            function: {
              name: 'light',
              description: 'Switches a light.',
              parameters: { type: 'object', properties: { on: { type: 'boolean' } } },
            },
          },
        ],
      },
      steps: [
        { step_id: 1, source: 'user', message: 'Light on' },
        {
          step_id: 2,
          source: 'agent',
          message: 'Switching.',
          tool_calls: [{ tool_call_id: 'c', function_name: 'light', arguments: { on: true } }],
          observation: { results: [{ source_call_id: 'c', content: 'Error 400: invalid value for on' }] },
        },
      ],
    };
    expect((await verdictsOf(fileOf(atif))).verdicts).toMatchObject([
      { id: 'run-9', label: 'tool_schema_error', evidence: [{ event: 'steps/2' }] },
    ]);
  });

  it('judges our own failures with their harness, and without it by what was sent', async () => {
    const { verdicts, notices } = await verdictsOf(fileOf(evalLine('t', noCall), noCall));
    expect(verdicts.map(({ label, component }) => [label, component])).toEqual([
      ['prompt_ambiguity', 'prompt'],
      ['prompt_ambiguity', 'prompt'],
    ]);
    expect(notices).toEqual([]);
    const blind = await verdictsOf(fileOf(evalLine('t', noCall)), { harnessOf: async () => null });
    expect(blind.verdicts).toHaveLength(1);
    expect(blind.notices).toEqual([expect.stringContaining('not at hand')]);
  });

  it('leaves our own successes out with a notice, and refuses rollouts of sealed tasks', async () => {
    const success = rollout([says(0, RAW), calls(0), returns(0, '7'), answers('7')], { score: 1 });
    expect(await verdictsOf(fileOf(evalLine('good', success)))).toEqual({
      verdicts: [],
      notices: ['good: passed, nothing to attribute'],
    });
    const sealed = { ...noCall, identity: { ...noCall.identity, split: 'test' } };
    await expect(verdictsOf(fileOf(evalLine('sealed', sealed)))).rejects.toMatchObject({ code: 'sealed-rollout' });
  });

  describe('of a case of others', () => {
    const [run] = PLAIN.trace.runs as [(typeof PLAIN.trace.runs)[0]];
    const withOutcomes = (...outcomes: unknown[]) => ({
      ...PLAIN,
      trace: { runs: outcomes.map((outcome) => ({ ...run, outcome })) },
    });
    const chat = { id: 'mine', messages: run.steps, passed: true };
    const reader = {
      name: 'r',
      promptCharacters: 1,
      concurrency: 1,
      read: () => Promise.reject(new Error('asked about a success')),
      close: async () => {},
    };

    it.each([
      ['"passed"', withOutcomes('passed')],
      ['1', withOutcomes(1)],
      ['{passed: true}', withOutcomes({ passed: true })],
      ['"success", twice', withOutcomes('success', 'success')],
      ['passed: true beside a chat', chat],
    ])('leaves it out with a notice where every outcome is %s, and asks no reader', async (_name, value) => {
      const passed: CaseVerdict[] = [];
      const read = await verdictsOf(fileOf(value), { reader, onPassed: (verdict) => passed.push(verdict) });
      expect(read).toEqual({ verdicts: [], notices: ['mine: passed, nothing to attribute'] });
      expect(passed).toMatchObject([{ id: 'mine', label: 'agent_error', confidence: 0, repair: null }]);
      expect(Object.keys(passed[0] ?? {}).sort()).toEqual(KEYS);
      expect(passed[0]?.evidence.length).toBeGreaterThan(0);
    });

    it.each([
      ['one of two runs failed', withOutcomes('passed', 'fail')],
      ['no outcome is given', withOutcomes(undefined)],
      ['one of two outcomes is not given', withOutcomes('passed', undefined)],
      ['it passed with a "but"', withOutcomes('passed, but the light stayed off')],
    ])('judges it where %s', async (_name, value) => {
      const { verdicts, notices } = await verdictsOf(fileOf(value));
      expect(verdicts).toMatchObject([{ id: 'mine', label: 'tool_schema_error' }]);
      expect(notices).toEqual([]);
    });
  });

  it.each([
    ['an object of another kind', [{ hello: 1 }]],
    ['a number', [3]],
    ['broken JSON', ['{"id": ']],
    ['a case without runs', [{ id: 'x', trace: { runs: [] } }]],
    ['steps without roles', [{ id: 'x', trace: { runs: [{ steps: [{ content: 'x' }] }] } }]],
  ])('says what was expected of %s', async (_name, values) => {
    await expect(verdictsOf(fileOf(...values))).rejects.toMatchObject({
      code: 'unknown-shape',
      message: expect.stringMatching(/ATIF[\s\S]*OpenAI[\s\S]*trace/),
    });
  });

  it('refuses an empty file and one that is not there', async () => {
    await expect(verdictsOf(fileOf(''))).rejects.toMatchObject({ code: 'empty-file' });
    await expect(verdictsOf('/no/such/file.json')).rejects.toMatchObject({ code: 'file-missing' });
  });

  it('lets a command judge the same file, and falls back on the evidence where its answer is no answer', async () => {
    const answer = {
      label: 'middleware_mismatch',
      component: 'middleware',
      path: '/loop',
      mechanism: 'The loop gave up.',
      severity: 1,
      confidence: 0.9,
      evidence: [{ event: 'runs/0/steps/2', quote: 'Error 400' }],
      repair: [{ path: '/loop', new: 'go on' }],
    };
    const saying = (text: string) =>
      commandReader({
        command: [
          process.execPath,
          '-e',
          `process.stdin.resume().on('end', () => process.stdout.write(${JSON.stringify(text)}))`,
        ],
        timeoutMs: 20_000,
      });
    const judged = await verdictsOf(fileOf(PLAIN), { reader: saying(`${JSON.stringify(answer)}\nEND OF DIAGNOSIS\n`) });
    expect(judged.verdicts).toMatchObject([
      {
        id: 'mine',
        label: 'middleware_mismatch',
        confidence: 0.9,
        repair: [{ path: '/loop', old: null, new: 'go on' }],
      },
    ]);
    const mute = await verdictsOf(fileOf(PLAIN), { reader: saying('hm') });
    expect(mute.verdicts).toMatchObject([{ label: 'tool_schema_error' }]);
    expect(mute.notices).toEqual([expect.stringContaining('refused')]);
  });
});
