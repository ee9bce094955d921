import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryJournal } from '../src/base/journal.ts';
import { lineageOf } from '../src/registry/lineage.ts';
import type { Version } from '../src/registry/version.ts';
import { ledgerOf } from '../src/report/ledger.ts';
import { type GateWorld, patchFor, playGateWorld, rightFor, saying } from './scripted-world/gate-world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-audits-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A hint that helps the old weights and hurts the new ones. */
const FLIP: GateWorld = {
  config: { only: null, rounds: 2 },
  gateTasks: 160,
  proposals: [(harness) => [saying('Think of a number line.')(harness)]],
  answer: (question) => {
    const hinted = question.before.includes('number line');
    if (question.adapted) return rightFor(hinted ? 0.45 : 0.65, question);
    return rightFor(hinted ? 0.3 : 0.1, question);
  },
};

describe('a diff that helps under the old weights and hurts under the new ones', { timeout: 180_000 }, () => {
  it('is found by the loop, rolled back to the pair without it, and not proposed again under these weights', async () => {
    const { versions, refusals, splits } = await playGateWorld(join(folder, 'flip'), FLIP);
    const kinds = versions.map(({ kind, verdict }) => `${kind} ${verdict}`);
    expect(kinds.slice(0, 4)).toEqual(['seed seed', 'harness better', 'weights better', 'rollback rollback']);
    const [seed, diff, weights, rollback] = versions;
    expect(rollback).toMatchObject({
      accepted: true,
      parent: 2,
      reason: 'harmful-diff',
      rolledBack: { undoes: [diff?.version], evidence: { against: 'without-diff', subject: 2, verdict: 'drifted' } },
    });
    expect(rollback?.pair).toEqual({ harness: seed?.pair.harness, model: weights?.pair.model });
    const evidence = rollback?.rolledBack?.evidence;
    expect(evidence?.mean).toBeLessThan(-0.1);
    expect(evidence?.groups).toBeLessThanOrEqual(splits.gate.length);
    expect(refusals).toEqual([expect.stringMatching(/decided before under the same weights: v3 rolled it back/)]);
  });
});

describe('what audits cost', { timeout: 180_000 }, () => {
  it('is a purpose of its own in the ledger, beside gates that use the same split, also after a kill in the middle of one', async () => {
    const { journal, rollouts } = await playGateWorld(join(folder, 'whole'), FLIP);
    const { lines } = await ledgerOf(journal);
    const bought = (purpose: string) => lines.find((line) => line.purpose === purpose)?.rollouts ?? 0;
    expect(bought('audit')).toBeGreaterThan(0);
    expect(bought('gate')).toBeGreaterThan(0);
    expect(bought('audit') + bought('gate')).toBe(rollouts.filter(({ identity }) => identity.split === 'gate').length);

    const entries = await journal.entries();
    const cut = memoryJournal();
    const middle = entries.findIndex(({ kind }) => kind === 'bought-for') + 3;
    expect(entries[middle]?.kind).toBe('rollout');
    for (const entry of entries.slice(0, middle)) await cut.put(entry);
    await playGateWorld(join(folder, 'whole'), { ...FLIP, journal: cut });
    expect((await ledgerOf(cut)).lines).toEqual(lines);
  });
});

describe('five diffs that lose 2 points each', { timeout: 180_000 }, () => {
  const example = (index: number) => ({
    path: `examples/${index}.yaml`,
    text: `problem: "E${index}."\nsteps: [{ text: "0" }]\n`,
  });
  const examples = [1, 2, 3, 4, 5].map(example);

  it('pass the gate one by one as harmless deletions, and are stopped in sum by the comparison with the seed pair', async () => {
    const { versions } = await playGateWorld(join(folder, 'drift'), {
      config: { iterations: 5, gate: { margin: 0.08 } },
      files: Object.fromEntries(examples.map(({ path, text }) => [path, text])),
      gateTasks: 400,
      isTrainLuck: (luck) => luck < 0.65 || luck > 0.85,
      // Each iteration drops the next example, whether or not an earlier one came back.
      proposals: examples.map(({ path, text }) => (harness) => [patchFor(harness, [{ path, old: text }])]),
      answer: (question) => {
        const left = examples.filter((_, index) => question.before.includes(`E${index + 1}.`)).length;
        return rightFor(0.8 - 0.02 * (5 - left), question);
      },
    });
    expect(versions.filter(({ verdict }) => verdict === 'simpler').length).toBeGreaterThanOrEqual(2);
    const rollbacks = versions.filter(({ kind }) => kind === 'rollback');
    expect(rollbacks.length).toBeGreaterThanOrEqual(1);
    expect(rollbacks[0]).toMatchObject({ reason: 'drift', rolledBack: { evidence: { against: 'seed' } } });
    const champion = versions.findLast(({ accepted }) => accepted);
    const goal = versions.find(({ pair, kind }) => kind !== 'rollback' && pair.harness === champion?.pair.harness);
    // Each step loses 2 points: more than four of them would be beyond the margin.
    expect(lineageOf(goal as Version, versions).length).toBeLessThanOrEqual(3);
    expect(champion?.kind).toBe('rollback');
  });
});
