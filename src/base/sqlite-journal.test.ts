import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentHash } from './content-hash.ts';
import { openSqliteJournal } from './sqlite-journal.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-journal-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('says that a row which is cut off makes a damaged journal, and reads the others', async () => {
  const file = join(folder, 'run.sqlite');
  const journal = openSqliteJournal(file);
  const [whole, cut] = [contentHash('whole'), contentHash('cut')];
  await journal.put({ key: whole, kind: 'a', value: { is: 'whole' } });
  await journal.put({ key: cut, kind: 'b', value: { is: 'cut' } });
  const database = new DatabaseSync(file);
  database.prepare('UPDATE step SET value = ? WHERE key = ?').run('{"is": "cu', cut);
  database.close();
  expect(await journal.get(whole)).toEqual({ is: 'whole' });
  const damaged = { code: 'invalid-journal', message: expect.stringContaining('is damaged') };
  await expect(journal.get(cut)).rejects.toMatchObject(damaged);
  await expect(journal.entries()).rejects.toMatchObject(damaged);
  await journal.close();
});
