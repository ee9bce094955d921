import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTasks } from './load-tasks.ts';

const folder = mkdtempSync(join(tmpdir(), 'load-tasks-'));
let files = 0;

function fileOf(...lines: string[]): string {
  const file = join(folder, `tasks-${files++}.jsonl`);
  writeFileSync(file, lines.join('\n'));
  return file;
}

const row = (id: string) => JSON.stringify({ id, problem: `Problem ${id}?`, answer: '4' });

describe('loadTasks', () => {
  it('reads rows in file order and skips empty lines, a byte order mark and carriage returns', async () => {
    const { rows, dropped } = await loadTasks(fileOf(`\uFEFF${row('b')}\r`, '', row('a'), ''));
    expect(rows.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(dropped).toBe(0);
  });

  it('names file and line of a line that is not JSON', async () => {
    const file = fileOf(row('a'), '', '{"id": "b", "problem": ');
    await expect(loadTasks(file)).rejects.toMatchObject({
      code: 'invalid-json',
      message: expect.stringContaining(`${file}:3`),
    });
  });

  it('names file, line and field of a row with a missing or wrong field', async () => {
    const file = fileOf(row('a'), JSON.stringify({ id: 7, problem: 'Two?' }));
    await expect(loadTasks(file)).rejects.toMatchObject({
      code: 'invalid-data',
      details: { file, line: 2, fields: expect.arrayContaining(['id', 'answer']) },
    });
  });

  it('lists every id that stands more than once, with its lines', async () => {
    const file = fileOf(row('a'), row('b'), row('a'), row('b'), row('c'));
    await expect(loadTasks(file)).rejects.toMatchObject({
      code: 'duplicate-task-ids',
      details: { ids: ['a', 'b'] },
      message: expect.stringContaining('a (lines 1, 3)'),
    });
  });

  it('refuses an empty file, and one whose rows were all dropped, for different stated reasons', async () => {
    await expect(loadTasks(fileOf('', ' '))).rejects.toMatchObject({ code: 'no-tasks', details: { rows: 0 } });
    await expect(loadTasks(fileOf(row('a')), { mapRow: () => null })).rejects.toMatchObject({
      code: 'no-tasks',
      message: expect.stringContaining('all 1 of its 1 rows were dropped'),
    });
  });

  it('says which file cannot be read', async () => {
    await expect(loadTasks(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'file-missing' });
  });

  it('maps rows by position, drops and counts those mapped to null, and checks what comes out', async () => {
    const file = fileOf('{"q": "One?"}', '{"q": "Two?"}', '{"q": "Three?"}');
    const mapRow = (source: Record<string, unknown>, index: number) =>
      index === 1 ? null : { id: `row-${index}`, problem: source.q, answer: index };
    const { rows, dropped } = await loadTasks(file, { mapRow });
    expect(rows.map(({ id, problem }) => [id, problem])).toEqual([
      ['row-0', 'One?'],
      ['row-2', 'Three?'],
    ]);
    expect(dropped).toBe(1);
    await expect(loadTasks(file, { mapRow: () => ({ id: 'x' }) })).rejects.toMatchObject({
      code: 'invalid-data',
      details: { line: 1 },
    });
  });

  it('reports file and line where the mapping function itself fails', async () => {
    const mapRow = () => {
      throw new Error('no such column');
    };
    await expect(loadTasks(fileOf(row('a')), { mapRow })).rejects.toMatchObject({
      code: 'map-row-failed',
      message: expect.stringMatching(/:1: .*no such column/),
    });
  });
});
