import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from './scripted-world/run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'co-harness-attacks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const STEPS = [
  { role: 'user', content: 'Add 2 and 3' },
  { role: 'assistant', content: '6' },
];

function plainCase(harness: unknown = {}, steps: unknown = STEPS): string {
  return JSON.stringify({ id: 'c', problem: '', trace: { runs: [{ task: 'Add', harness, steps, outcome: 'fail' }] } });
}

const ROW = '{"question":"How many?","answer":"So it is 5. #### 5"}\n';

describe('what the system refuses', () => {
  it.each([
    ['a folder to write to', ['--from', 'g.jsonl', '--out', '.']],
    ['a file in place of a folder', ['--from', 'g.jsonl', '--out', 'g.jsonl/x']],
    ['a folder to read', ['--from', 'empty']],
    ['an address that is none', ['--from', 'http://']],
    ['an address of another kind', ['--from', 'ftp://host/file']],
  ])('%s: an error in words, without a stack trace', async (_, args) => {
    fileOf('g.jsonl', ROW);
    mkdirSync(join(folder, 'empty'), { recursive: true });
    const { code, stderr } = await runCli(folder, 'data', 'get', 'gsm8k', ...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/Error \([a-z-]+\): /);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('options that are no number', () => {
  it.each([
    ['attribute', 'c.json', '--votes', 'abc'],
    ['attribute', 'c.json', '--votes', '0'],
    ['attribute', 'c.json', '--timeout', 'soon'],
    ['eval', '--tasks', 'c.json', '--repeats', 'many'],
    ['gate', '--null', '--temperature', 'warm'],
    ['gate', '--null', '--temperature', '-0.5'],
  ])('%s %s %s %s is bad usage', async (...args) => {
    fileOf('c.json', plainCase());
    const { code, stderr } = await runCli(folder, ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is invalid\. Expected a/);
  });
});

describe('co-harness attribute', () => {
  it('reads a file with a byte order mark', async () => {
    const { code, stdout } = await runCli(folder, 'attribute', fileOf('bom.json', `\uFEFF${plainCase()}`), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'c' });
  });

  it('takes time in proportion to white space', async () => {
    const steps = [...STEPS, { role: 'assistant', content: `${'\n'.repeat(100_000)}x` }];
    const start = performance.now();
    expect((await runCli(folder, 'attribute', fileOf('lines.json', plainCase({}, steps)), '--json')).code).toBe(0);
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 60_000);
});
