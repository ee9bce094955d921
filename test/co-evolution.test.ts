import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteJournal } from '../src/base/sqlite-journal.ts';
import { proposePatches } from '../src/patch/propose.ts';
import type { Version } from '../src/registry/version.ts';
import { readReport } from '../src/report/report-data.ts';
import { executeScriptedRun, journalFile, scriptedRun } from './scripted-world/scripted-world.ts';

const killable = fileURLToPath(new URL('scripted-world/run-until-killed.ts', import.meta.url));

let root: string;
let whole: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'co-harness-run-'));
  whole = join(root, 'whole');
  await executeScriptedRun({ folder: whole });
}, 120_000);

afterAll(() => rm(root, { recursive: true, force: true }));

function rows(folder: string): unknown[] {
  const database = new DatabaseSync(journalFile(folder), { readOnly: true });
  const found = database.prepare('SELECT id, key, kind, value FROM step ORDER BY id').all();
  database.close();
  return found;
}

async function readVersions(folder: string): Promise<Version[]> {
  const journal = openSqliteJournal(journalFile(folder), { readOnly: true });
  const versions = (await journal.entries('version')).map((entry) => entry.value as Version);
  await journal.close();
  return versions;
}

describe('the alternation on a scripted world', () => {
  it('finds a harness under which the model calls its tool, then weights that are better under it', async () => {
    const accepted = (await readVersions(whole)).filter((version) => version.accepted);
    expect(accepted.map((version) => version.kind)).toContain('harness');
    expect(accepted.map((version) => version.kind)).toContain('weights');
  });

  it('moves the champion only by accepted decisions, each compared with the champion before it', async () => {
    let champion = 0;
    for (const version of (await readVersions(whole)).slice(1)) {
      expect(version.parent).toBe(champion);
      if (version.accepted) champion = version.version;
    }
  });

  it('holds what a diff was expected to cost and to break beside what its gate saw', async () => {
    const judged = (await readVersions(whole)).filter(({ patch, decision }) => patch !== null && decision !== null);
    expect(judged.length).toBeGreaterThan(0);
    for (const { patch, decision, sideEffects } of judged) {
      const { parent = 0, child = 0 } = decision?.tokens ?? {};
      expect(sideEffects?.cost?.predicted).toBe(patch?.predictedCost);
      expect(sideEffects?.cost?.observed).toBeCloseTo(child / parent - 1, 12);
      expect(sideEffects?.regression?.predicted).toBe(patch?.predictedRegression);
    }
  });

  it('ends the harness phase where φ causes fewer failures than the gate could see, and goes on where it causes them', async () => {
    const notices: string[] = [];
    const mined: string[] = [];
    await executeScriptedRun({
      folder: join(root, 'exhausted'),
      observers: [
        (event) => {
          if (event.type === 'notice') notices.push(event.text);
          if (event.type === 'step-finished' && event.step === 'collecting failures') mined.push(event.detail);
        },
      ],
    });
    expect(mined.length).toBeGreaterThanOrEqual(2);
    expect(notices[0]).toMatch(/^harness phase exhausted: 0 of 24 rollouts/);
    const untouched = (await readVersions(join(root, 'exhausted'))).filter(({ kind }) => kind === 'harness');
    expect(untouched.map(({ accepted }) => accepted)).toEqual([true]);
  });

  it('goes on where nothing is left to cure and no training waits for the time: what saves or buys is tried, once where it is in vain', async () => {
    const steps: string[] = [];
    await executeScriptedRun({
      folder: join(root, 'harness-alone'),
      prepared: scriptedRun({ only: 'harness', rounds: 1, iterations: 5 }),
      proposer: (proposal, options) => {
        steps.push(`${proposal.clusters.length === 0 ? 'no' : 'some'} causes to propose for`);
        return proposePatches(proposal, options);
      },
      observers: [
        (event) => {
          if (event.type === 'notice' && event.text.startsWith('nothing left to cure')) steps.push('nothing to cure');
          if (event.type === 'step-finished' && event.step === 'collecting failures') steps.push('mined');
          if (event.type === 'candidate-screened' && steps.at(-1) !== 'screened') steps.push('screened');
        },
      ],
    });
    const cured = steps.indexOf('nothing to cure');
    expect(cured).toBeGreaterThan(0);
    expect(steps).toContain('some causes to propose for');
    expect(steps.slice(cured + 1)).toEqual(['no causes to propose for', 'screened']);
  });

  it('runs its first round whatever the time, and no later phase that would outlast it by much', async () => {
    const started: string[] = [];
    await executeScriptedRun({
      folder: join(root, 'hurried'),
      prepared: scriptedRun({ budget: { time: 60 } }),
      observers: [
        (event) => {
          if (event.type === 'plan-made') started.push(`${event.round} ${event.phase} ${event.lines[0]}`);
        },
      ],
    });
    const planned = (start: string) => started.find((line) => line.startsWith(start));
    expect(planned('1 harness')).toMatch(/^1 harness iteration 1: about/);
    expect(planned('1 weights')).toMatch(/train tasks/);
    expect(planned('2 harness')).toMatch(/no iteration 1: about \d+ s are left for it, which is too little/);
    expect(planned('2 weights')).toMatch(/no training: about \d+ s are left for it, which is too little/);
  });

  it('opens the sealed test once and reports every round and the crossed pairs on the same tasks', async () => {
    const journal = openSqliteJournal(journalFile(whole), { readOnly: true });
    const report = await readReport(journal, 'whole');
    await journal.close();
    expect(report.looks.count).toBe(1);
    expect(report.pairs.map((row) => row.round)).toEqual(expect.arrayContaining([0, 1, 2]));
    expect(new Set(report.pairs.map((row) => row.tasks))).toEqual(new Set([40]));
    expect(report.crossed[0]?.cells).toHaveLength(4);
    expect(report.pairs[0]?.correct).toBe(0);
    expect(report.crossed[0]?.floor).toBe(true);
  });

  it('never rolls out a sealed task before the final report', () => {
    const kinds = rows(whole) as { kind: string; value: string }[];
    const look = kinds.findIndex((row) => row.kind === 'sealed-look');
    const firstTest = kinds.findIndex(
      (row) => row.kind === 'rollout' && JSON.parse(row.value).identity.split === 'test',
    );
    expect(look).toBeGreaterThan(0);
    expect(firstTest).toBeGreaterThan(look);
  });

  it('buys nothing again when a finished run is started once more', async () => {
    const before = rows(whole);
    await executeScriptedRun({ folder: whole });
    expect(rows(whole)).toEqual(before);
  });
});

describe('a run killed with SIGKILL right after a journal write and started again', () => {
  it('ends with a journal byte-identical to that of the uninterrupted run, wherever the kills fell', async () => {
    const expected = rows(whole);
    const folder = join(root, 'killed');
    const share = (part: number) => Math.max(1, Math.floor(expected.length * part));
    for (const writes of [2, share(0.1), share(0.23), share(0.31), share(0.17), 0]) {
      const run = promisify(execFile)(process.execPath, [killable, folder, String(writes)]);
      if (writes === 0) await run;
      else await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' });
    }
    expect(rows(folder)).toEqual(expected);
  }, 400_000);
});
