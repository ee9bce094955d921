import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunHeader } from '../evolution/start-run.ts';
import { readEvalTasks } from './eval-tasks.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-eval-'));
  const config = (extra: string) =>
    `export default { name: 'x', model: { source: 'file:none' }, verifier: { kind: 'numeric' }, tasks: { path: 'none'${extra} } };\n`;
  await writeFile(
    join(folder, 'with.ts'),
    config(", mapRow: (row) => ({ id: row.key, problem: row.text, answer: '1' })"),
  );
  await writeFile(join(folder, 'without.ts'), config(''));
  await writeFile(join(folder, 'raw.jsonl'), '{"key": "a", "text": "One?"}\n');
  await writeFile(join(folder, 'tasks.jsonl'), '{"id": "b", "problem": "Two?", "answer": "2"}\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(file: string, configFile: string | null, config?: string) {
  const told: string[] = [];
  const rows = await readEvalTasks(join(folder, file), {
    ...(config === undefined ? {} : { config: join(folder, config) }),
    folder,
    header: { configFile, verifier: { kind: 'numeric' } } as RunHeader,
    tell: (text) => told.push(text),
  });
  return { ids: rows.map(({ id }) => id), told };
}

describe('eval on raw rows', () => {
  it('uses the mapRow of the run’s config and says so', async () => {
    expect(await read('raw.jsonl', 'with.ts')).toEqual({
      ids: ['a'],
      told: [expect.stringMatching(/1 rows turned into tasks by tasks\.mapRow of .*with\.ts/)],
    });
  });

  it('leaves rows alone that are tasks already', async () => {
    expect(await read('tasks.jsonl', 'with.ts')).toEqual({ ids: ['b'], told: [] });
  });

  it('refuses an answer that the run’s verifier cannot use, by file, line and id', async () => {
    await writeFile(join(folder, 'worded.jsonl'), '{"id": "w", "problem": "How many?", "answer": "eight"}\n');
    await expect(read('worded.jsonl', null)).rejects.toMatchObject({
      code: 'invalid-gold',
      message: expect.stringMatching(/worded\.jsonl:1 \(w\)/),
    });
  });

  it('uses the config that is named, and refuses one without a mapRow', async () => {
    expect(await read('raw.jsonl', null, 'with.ts')).toMatchObject({ ids: ['a'] });
    await expect(read('raw.jsonl', null, 'without.ts')).rejects.toMatchObject({ code: 'no-map-row' });
  });

  it('names the bad field where no mapRow is known', async () => {
    await expect(read('raw.jsonl', null)).rejects.toMatchObject({ code: 'invalid-data' });
    await expect(read('raw.jsonl', 'without.ts')).rejects.toMatchObject({ code: 'invalid-data' });
  });
});
