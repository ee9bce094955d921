import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readHarness } from '../../src/harness/harness-folder.ts';
import { functionCallVerifier } from '../../src/task/function-call-verifier.ts';
import { loadTasks } from '../../src/task/load-tasks.ts';
import { taskHash } from '../../src/task/task.ts';
import { mapRow } from './map-row.ts';

const functions = [{ name: 'weather', parameters: { type: 'dict', properties: {}, required: ['city'] } }];
const row = {
  id: 'a',
  problem: 'Weather in Paris?',
  functions,
  answer: [{ weather: { city: ['Paris'], unit: ['', 'celsius'] } }],
};

describe('mapRow', () => {
  it('offers the functions for this task only and solves it with the fewest arguments', () => {
    expect(mapRow(row)).toEqual({
      id: 'a',
      problem: 'Weather in Paris?',
      answer: row.answer,
      fields: { tools: functions },
      reference: { calls: [{ tool: 'weather', arguments: { city: 'Paris' } }] },
    });
  });

  it('joins the messages of a conversation and solves a request that no function fits without a call', () => {
    const problem = JSON.stringify([
      { role: 'system', content: 'Today is Monday.' },
      { role: 'user', content: 'Sing!' },
    ]).replace('{"role":', '{"role": ');
    expect(mapRow({ ...row, problem, answer: [] })).toMatchObject({
      problem: 'Today is Monday.\n\nSing!',
      reference: { calls: [], text: expect.any(String) },
    });
  });

  it('drops rows that no list of calls can solve, and passes other formats through', () => {
    expect(mapRow({ ...row, answer: ['weather(city="Paris")'] })).toBeNull();
    expect(mapRow({ ...row, answer: [{ weather: { city: [] } }] })).toBeNull();
    expect(mapRow({ id: 'a', problem: 'P', answer: 1 })).toEqual({ id: 'a', problem: 'P', answer: 1 });
  });
});

describe('the seed harness', () => {
  it('is read without a complaint and takes its answer from the calls', async () => {
    const harness = await readHarness(new URL('./harness', import.meta.url).pathname);
    expect(harness.settings.answer.from).toBe('tool');
    expect(harness.prompts.system).toContain('{{tools}}');
  });
});

const FOLDER = '../shared/data/bfcl';

describe.skipIf(!existsSync(FOLDER))(`mapRow on real data (needs ${FOLDER})`, () => {
  it.each([
    ['simple_python', 400],
    ['multiple', 200],
    ['parallel', 200],
    ['parallel_multiple', 200],
    ['live_simple', 256],
    ['irrelevance', 240],
  ])('reads %s, and its verifier accepts every reference solution', async (name, count) => {
    const verifier = functionCallVerifier();
    const { rows } = await loadTasks(`${FOLDER}/${name}.jsonl`, { mapRow });
    expect(rows).toHaveLength(count);
    for (const task of rows) {
      const calls = JSON.stringify(task.reference?.calls.map((call) => ({ [call.tool]: call.arguments })));
      const verdict = await verifier.verify({ ...task, hash: taskHash(task), group: '' }, calls);
      expect([task.id, verdict]).toMatchObject([task.id, { kind: 'scored', score: 1 }]);
    }
  });
});
