import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadTasks } from '../src/task/load-tasks.ts';
import { type LocalServer, listen } from './scripted-world/model-server.ts';
import { runCli } from './scripted-world/run-cli.ts';

let folder: string;
let server: LocalServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'co-harness-data-'));
  process.env.CO_HARNESS_CACHE = join(folder, 'cache');
});
afterEach(() => {
  delete process.env.CO_HARNESS_CACHE;
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const ROWS = '{"problem": "What is one more than 41?", "answer": "042"}\n{"problem": "And two more?", "answer": 43}\n';

describe('data get', () => {
  it('turns a published file on this disk into tasks, shows licence and caution, and says where they are', async () => {
    writeFileSync(join(folder, 'published.jsonl'), ROWS);
    const { code, stdout } = await runCli(folder, 'data', 'get', 'aime-2024', '--from', 'published.jsonl');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    for (const part of [
      'licence: none stated',
      'SHA-256',
      'the published file has 30 rows',
      'caution: Collections of AIME',
    ])
      expect(stdout).toContain(part);
    expect(stdout).toMatch(/2 tasks written to data.aime-2024-test\.jsonl\n$/);
    const { rows } = await loadTasks(join(folder, 'data', 'aime-2024-test.jsonl'));
    expect(rows).toMatchObject([
      { id: 'aime-2024-1', answer: '42', publishedOn: '2024-02' },
      { id: 'aime-2024-2', answer: '43' },
    ]);
  });

  it('describes what it wrote as JSON, fetches an address once and pins its hash', async () => {
    server = await listen((_request, response) => response.end(ROWS));
    const args = ['data', 'get', 'aime-2025', '--from', `${server.url}/test.jsonl`, '--out', 'tasks.jsonl', '--json'];
    const first = await runCli(folder, ...args);
    expect(JSON.parse(first.stdout)).toEqual({
      schema: 'co-harness/data@1',
      out: 'tasks.jsonl',
      rows: 2,
      sets: [
        {
          name: 'aime-2025',
          split: 'test',
          source: `${server.url}/test.jsonl`,
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          licence: expect.stringContaining('Apache-2.0'),
          publishedOn: '2025-02',
          rows: 2,
          expectedRows: 30,
          caution: null,
        },
      ],
    });
    expect((await runCli(folder, ...args)).stdout).toBe(first.stdout);
    expect((await runCli(folder, 'data', 'get', 'aime-2025', ...args.slice(2))).stdout).toBe(first.stdout);
    expect(server.requests()).toBe(1);
    expect(readFileSync(join(folder, 'tasks.jsonl'), 'utf8')).toContain(`"source":"${server.url}/test.jsonl"`);
  });

  it('suggests a name, asks for a place for several sets, and writes nothing when something is wrong', async () => {
    const unknown = await runCli(folder, 'data', 'get', 'aime2024');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "aime-2024"?') });
    const several = await runCli(folder, 'data', 'get', 'aime-2024', 'aime-2025');
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining('--out FILE') });
    writeFileSync(join(folder, 'bad.jsonl'), `${ROWS}{"problem": "No answer?"}\n`);
    const malformed = await runCli(folder, 'data', 'get', 'aime-2024', '--from', 'bad.jsonl', '--json');
    expect(malformed.code).toBe(2);
    expect(JSON.parse(malformed.stdout)).toMatchObject({
      code: 'invalid-data',
      message: expect.stringMatching(/bad\.jsonl:3 .*answer/s),
    });
    const hash = '0'.repeat(64);
    const wrong = await runCli(folder, 'data', 'get', 'aime-2024', '--from', 'bad.jsonl', '--hash', hash);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining(hash) });
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

describe('data list', () => {
  it('names every set with its licence and addresses', async () => {
    const { stdout } = await runCli(folder, 'data', 'list', '--json');
    const { schema, sets } = JSON.parse(stdout);
    expect(schema).toBe('co-harness/data-list@1');
    expect(sets.map(({ name }: { name: string }) => name)).toEqual([
      'aime-2024',
      'aime-2025',
      'hmmt-feb-2025',
      'gsm8k',
      'svamp',
      'math',
    ]);
    expect((await runCli(folder, 'data', 'list')).stdout).toMatch(
      /gsm8k: .*\n {2}licence: MIT\n {2}train, 7473 rows:\n {4}https:/,
    );
  });
});
