import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from './scripted-world/run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'co-harness-attribute-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function caseFile(name: string, outcome: string): string {
  const steps = [
    { role: 'user', content: 'Add 2 and 3' },
    { role: 'assistant', content: '6' },
  ];
  const line = JSON.stringify({ id: name, trace: { runs: [{ task: 'Add', harness: {}, steps, outcome }] } });
  writeFileSync(join(folder, `${name}.json`), line);
  return `${name}.json`;
}

describe('attribute on the command line', () => {
  it('says of a case that passed that there is nothing to attribute, with one object a case under --json', async () => {
    const file = caseFile('good', 'passed');
    expect(await runCli(folder, 'attribute', file)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'good: passed, nothing to attribute\n',
    });
    const { stdout } = await runCli(folder, 'attribute', file, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ id: 'good', label: 'agent_error', confidence: 0, repair: null });
  });

  it.each([
    ['a harness folder that is not there', ['--harness', 'nosuch'], /Error \(file-missing\).*nosuch/],
    ['a program that is not there', ['--critic', 'command:nosuchprog'], /Error \(program-missing\).*nosuchprog.*PATH/],
    [
      'a file that is no program',
      ['--critic', 'command:./nosuch -p'],
      /Error \(program-missing\).*\/nosuch does not exist/,
    ],
  ])('refuses %s before it judges anything', async (_name, options, message) => {
    const { code, stdout, stderr } = await runCli(folder, 'attribute', caseFile('bad', 'fail'), ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
