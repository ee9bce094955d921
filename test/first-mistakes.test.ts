import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAgentFolder } from './scripted-world/agent-folder.ts';
import { runCli } from './scripted-world/run-cli.ts';

/** What people type in their first hour. Every message says what is wrong and what to do next, with exit code 2. */
const folder = mkdtempSync(join(tmpdir(), 'co-harness-first-mistakes-'));
beforeAll(async () => {
  await writeAgentFolder(folder, { source: 'openai:http://127.0.0.1:9/v1#m' });
  mkdirSync(join(folder, 'tasks'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('no-answer.jsonl', '{"id": "t", "problem": "Add 2 and 3"}\n');
  write('list.json', JSON.stringify([{ id: 't', problem: 'Add 2 and 3', answer: 5 }], null, 2));
  write('no-pred.jsonl', '{"gold": "5", "expected": true}\n');
  write('text.sqlite', 'This is a text and no database at all.\n'.repeat(100));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tasks = (file: string) => ['run', '.', '--only', 'harness', '--set', `tasks.path=${file}`];

describe('a first mistake', () => {
  it.each<[string, string[], RegExp]>([
    ['a task without an answer', tasks('no-answer.jsonl'), /no-answer\.jsonl:1 .*\n {2}answer is missing\n/],
    ['a JSON list of tasks', tasks('list.json'), /list\.json is a JSON list; expected one JSON object a line/],
    ['a folder of tasks', tasks('tasks'), /tasks is a folder; expected a JSON Lines file of tasks/],
    ['tasks that are not there', tasks('data/x.jsonl'), /x\.jsonl.*co-harness data get NAME --out .*data\/x\.jsonl/],
    ['a case to verify without a prediction', ['verify', '--cases', 'no-pred.jsonl'], /:1 .*\n {2}pred is missing\n/],
    ['a list of cases to verify', ['verify', '--cases', 'list.json'], /list\.json is a JSON list/],
    ['a folder to attribute', ['attribute', 'tasks'], /tasks is a folder; expected a JSON or JSON Lines file of traj/],
    ['a number with a suffix', ['run', '.', '--tokens', '1k'], /--tokens <number>.*'1k' is invalid.*whole number/],
    ['a time without a unit', ['run', '.', '--time', '5'], /--time <duration>.*'5' is invalid.*such as 90s, 40m or 2h/],
    ['no time at all', ['run', '.', '--time', '0m'], /--time <duration>.*'0m' is invalid/],
    [
      'a text without a unit as time',
      ['run', '.', '--set', 'budget.time="5"'],
      /budget\.time: expected a time with its unit/,
    ],
    [
      'tasks in place of a config',
      ['run', 'no-answer.jsonl'],
      /is no config.*run FOLDER --set tasks\.path=no-answer\.jsonl/,
    ],
    ['an agent folder to serve', ['serve', '.'], /\(no-pair\).*holds a harness.*co-harness export --out FOLDER/],
    ['an empty folder to serve', ['serve', 'tasks'], /\(no-pair\).*no exported pair \(pair\.json\)\. Serve/],
    ['a pool that is not there', ['lab', 'null-pool', 'nosuch'], /\(file-missing\).*nosuch/],
    ['a pool that is a text', ['lab', 'null-pool', 'text.sqlite'], /\(invalid-journal\).*text\.sqlite.*not a database/],
    ['a pool that is a folder', ['lab', 'null-pool', 'tasks'], /\(file-missing\).*tasks/],
  ])('%s: the message names cause and next step', async (_name, args, message) => {
    const { code, stdout, stderr } = await runCli(folder, ...args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it.each([
    ['a number of seconds in the config', 'budget.time=1800', 'time 30 min'],
    ['a text with its unit', 'budget.time=30m', 'time 30 min'],
  ])('is not: %s', async (_name, setting, said) => {
    const { code, stdout } = await runCli(folder, 'run', '.', '--only', 'harness', '--estimate', '--set', setting);
    expect(stdout).toContain(said);
    expect(code).toBe(0);
  });
});
