import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Harness } from '../src/harness/harness.ts';
import { type Pair, pairHash } from '../src/registry/version.ts';
import { readReport } from '../src/report/report-data.ts';
import { patchFor, playGateWorld, type Question, rightFor } from './scripted-world/gate-world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-speed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LONG = `Add numbers. ${'Please be so kind as to take your time. '.repeat(10)}\n`;
const shorten = (harness: Harness) => [
  patchFor(harness, [{ path: 'prompts/system.md', old: LONG, value: 'Add numbers.\n' }]),
];

function play(name: string, answer: (question: Question) => string) {
  return playGateWorld(join(folder, name), {
    files: { 'prompts/system.md': LONG },
    config: { gate: { margin: 0.08 } },
    gateTasks: 400,
    isTrainLuck: (luck) => luck < 0.45 || luck > 0.55,
    proposals: [shorten],
    answer,
  });
}

describe('a diff that only saves', { timeout: 180_000 }, () => {
  it('is faster when its answers hold and the tokens fall, and becomes the champion', async () => {
    const { versions } = await play('same', (question) => rightFor(0.5, question));
    expect(versions[1]).toMatchObject({ verdict: 'faster', accepted: true, reason: 'not-worse-and-faster' });
    expect(versions[1]?.decision?.tokens.child).toBeLessThan(versions[1]?.decision?.tokens.parent ?? 0);
  });

  it('leaves the champion in its place when it scored lower, though within the margin, and stands beside it in the report', async () => {
    const { versions, journal } = await play('lower', (question) =>
      rightFor(question.before.includes('kind') ? 0.5 : 0.48, question),
    );
    expect(versions[1]).toMatchObject({ verdict: 'faster', accepted: false });
    expect(versions[1]?.decision?.whole.mean).toBeLessThan(0);

    const { pairs, front } = await readReport(journal, 'lower');
    const pair = pairHash(versions[1]?.pair as Pair);
    const named = ({ pair, round, version }: { pair: string | null; round: number | null; version?: number }) => ({
      pair,
      round,
      version,
    });
    expect(pairs.map(named)).toContainEqual({ pair, round: null, version: 1 });
    expect(front.map(named)).toContainEqual({ pair, round: null, version: 1 });
    expect(pairs.filter(({ version }) => version === undefined).map(({ round }) => round)).toEqual([0, 1]);
  });

  it('is not accepted when its answers do not hold', async () => {
    const { versions } = await play('worse', (question) =>
      rightFor(question.before.includes('kind') ? 0.55 : 0.45, question),
    );
    expect(versions[1]?.accepted).toBe(false);
    expect(versions[1]?.verdict).not.toBe('faster');
  });
});
