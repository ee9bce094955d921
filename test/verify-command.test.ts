import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from './scripted-world/run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'co-harness-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function casesFile(name: string, ...cases: Record<string, unknown>[]): string {
  writeFileSync(join(folder, name), cases.map((row) => JSON.stringify(row)).join('\n'));
  return name;
}

const RIGHT = { pred: 'So \\boxed{\\frac{1}{2}}.', gold: '0.5', expected: true };
const UNEXPECTED = { id: 'same', pred: '5', gold: '5.0', expected: false };
const MISSED = { pred: '6', gold: '5', expected: true };
const OPEN = { pred: '2^{10^9}', gold: '5', expected: false };

describe('co-harness verify', () => {
  it('counts every case once, under its id or line, and exits 1 when one is not correct', async () => {
    const file = casesFile('mixed.jsonl', RIGHT, UNEXPECTED, MISSED, OPEN);
    const { code, stdout } = await runCli(folder, 'verify', '--cases', file, '--json');
    expect(JSON.parse(stdout)).toEqual({
      schema: 'co-harness/verify@1',
      total: 4,
      correct: 1,
      falseAccepts: ['same'],
      falseRejects: [3],
      undecided: [4],
      checksPerSecond: expect.any(Number),
    });
    expect(code).toBe(1);
  });

  it('prints errors with their reasons and a confusion table, and exits 0 when all is as expected', async () => {
    const mixed = await runCli(folder, 'verify', '--cases', casesFile('text.jsonl', RIGHT, MISSED));
    expect(mixed.stdout).toMatch(/false reject 2: "6" against "5": another integer/);
    expect(mixed.stdout).toMatch(/expected equal +1 +1 +0/);
    const right = await runCli(folder, 'verify', '--cases', casesFile('right.jsonl', RIGHT));
    expect(right.code).toBe(0);
    expect(right.stdout).toMatch(/1 of 1 correct/);
  });

  it('exits 2 naming file, line and field of a case that it cannot read', async () => {
    const { code, stderr } = await runCli(
      folder,
      'verify',
      '--cases',
      casesFile('bad.jsonl', RIGHT, { pred: '1', gold: '1' }),
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/bad\.jsonl:2.*\n.*expected/);
  });
});
