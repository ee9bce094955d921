import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import type { Version } from '../src/registry/version.ts';
import type { ReplayResult } from '../src/replay/replay-cause.ts';
import { ledgerOf } from '../src/report/ledger.ts';
import { executeScriptedRun, journalFile, scriptedRun } from './scripted-world/scripted-world.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-replay-'));
  const prepared = scriptedRun({ only: 'harness', rounds: 1, iterations: 1, critic: { replay: 'on' } });
  await executeScriptedRun({ folder, prepared });
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a run with critic.replay on', () => {
  it('pays for the gate of a diff only after its cause has survived replay', async () => {
    const journal = openSqliteJournal(journalFile(folder), { readOnly: true });
    const entries = await journal.entries();
    await journal.close();
    const replay = entries.findIndex(({ kind }) => kind === 'replay');
    const gate = entries.findIndex(({ kind }) => kind === 'gate');
    expect(entries[replay]?.value).toMatchObject({ verdict: 'confirmed' });
    expect(replay).toBeLessThan(gate);
    const accepted = entries.filter(({ kind, value }) => kind === 'version' && (value as Version).accepted);
    expect(accepted.length).toBeGreaterThan(0);
  });

  it('charges the re-runs to the ledger as the journal has them', async () => {
    const journal = openSqliteJournal(journalFile(folder), { readOnly: true });
    const results = (await journal.entries('replay')).map(({ value }) => value as ReplayResult);
    const { lines } = await ledgerOf(journal);
    await journal.close();
    const calls = results.reduce((sum, { usage }) => sum + usage.modelCalls, 0);
    expect(calls).toBeGreaterThan(0);
    expect(lines.find(({ purpose }) => purpose === 'replay')?.modelCalls).toBe(calls);
  });
});
