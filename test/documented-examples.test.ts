import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readHarness } from '../src/harness/harness-folder.ts';
import { taskLines } from './scripted-world/agent-folder.ts';
import { asOneLine, runCli } from './scripted-world/run-cli.ts';

/** What a newcomer copies out of the documentation works as it stands there. */
const ROOT = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-documented-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the harness folder of an agent of your own in docs/formats.md is one', async () => {
  const [, section = ''] = read('docs/formats.md').split('## An agent of your own');
  const lines = [...section.matchAll(/^(harness\/\S+) {2,}(.+)$/gm)];
  expect(lines).toHaveLength(5);
  for (const [, file = '', text = ''] of lines) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${text}\n`);
  }
  const harness = await readHarness(join(folder, 'harness'));
  expect(harness.settings.name).toBe('my-agent');
  expect(harness.skills.map(({ name }) => name)).toEqual(['units']);
  expect(harness.facts).toEqual(['A dozen is twelve.']);
});

it('the line of the README that tries 300 tasks of your own on the example says what their run would be', async () => {
  await writeFile(join(folder, 'mine.jsonl'), `${taskLines(300).join('\n')}\n`);
  const line = /`npx co-harness (run examples\/word-problems --set tasks\.path=FILE [^`]*--estimate)`/.exec(
    read('README.md'),
  );
  const args = (line?.[1] ?? '').replace('examples/', `${ROOT}/examples/`).replace('FILE', 'mine.jsonl').split(' ');
  const { code, stdout, stderr } = await runCli(folder, ...args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const said = asOneLine(stdout);
  expect(said).toContain('gate 100 tasks in 100 groups, sealed test 100 tasks in 100 groups');
  expect(said).toMatch(/the first harness gate, with all 100 groups, can see effects from \+18\.8 pp on/);
}, 120_000);
