import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Journal } from '../src/base/journal.ts';
import type { BoughtFor } from '../src/evolution/roll-out.ts';
import type { Version } from '../src/registry/version.ts';
import type { Trajectory } from '../src/trajectory/trajectory.ts';
import { type GateWorld, playGateWorld, rightFor, saying } from './scripted-world/gate-world.ts';

/**
 * A sampled pair becomes the champion by rollouts in which it was lucky. Found by reading: gates of one round shared their seeds, so that these very rollouts
 * were what its children had to beat.
 */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-seeds-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LINES = ['Be exact.', 'Count twice.'];

const world = (gains: number[]): GateWorld => ({
  config: { iterations: 2 },
  files: { 'harness.yaml': 'name: sums\nsampling: { temperature: 0.7 }\n' },
  proposals: LINES.map((line) => (harness) => [saying(line)(harness)]),
  answer: (question) => {
    const gained = gains.reduce(
      (sum, gain, index) => sum + (question.before.includes(LINES[index] ?? '') ? gain : 0),
      0,
    );
    return question.chance < 0.2 + gained ? `${question.sum}` : 'That is hard to say.';
  },
});

/** Rollouts on gate tasks that a gate bought, each with its place in the journal. */
async function boughtByGates(journal: Journal) {
  const entries = await journal.entries();
  const audits = new Set(
    entries.flatMap(({ kind, value }) => (kind === 'bought-for' ? (value as BoughtFor).rollouts : [])),
  );
  return entries.flatMap(({ key, kind, value }, index) => {
    const isOfGate = kind === 'rollout' && (value as Trajectory).identity.split === 'gate' && !audits.has(key);
    return isOfGate ? [{ index, identity: (value as Trajectory).identity }] : [];
  });
}

describe('the rollouts that a gate measures by', { timeout: 180_000 }, () => {
  it('are new ones of a new champion, not those that it won by', async () => {
    const { versions, journal } = await playGateWorld(join(folder, 'moved'), world([0.4, 0.3]));
    expect(versions.map(({ verdict }) => verdict)).toEqual(['seed', 'better', 'better']);
    const entries = await journal.entries();
    const won = entries.findIndex(({ kind, value }) => kind === 'version' && (value as Version).version === 1);
    const own = (await boughtByGates(journal)).filter(({ identity }) => identity.harness === versions[1]?.pair.harness);
    const taskAndSeed = ({ identity }: (typeof own)[number]) => `${identity.task} ${identity.seed}`;
    const before = new Set(own.filter(({ index }) => index < won).map(taskAndSeed));
    const after = own.filter(({ index }) => index > won).map(taskAndSeed);
    expect(after.length).toBeGreaterThanOrEqual(versions[2]?.decision?.pairs ?? 1);
    expect(after.filter((each) => before.has(each))).toEqual([]);
  });

  it('are shared by all diffs of a champion while it stays', async () => {
    // Both gain on what train has, and lose as much elsewhere: they reach the gate and are refused.
    const { versions, journal } = await playGateWorld(join(folder, 'stayed'), {
      ...world([0, 0]),
      isTrainLuck: (luck) => luck < 0.5,
      answer: (question) => {
        const isHinted = LINES.some((line) => question.before.includes(line));
        const [low, high] = isHinted ? [0.3, 0.9] : [0.2, 0.8];
        return rightFor(question.luck < low || question.luck > high ? 1 : 0, question);
      },
    });
    expect(versions.filter(({ kind }) => kind === 'harness').length).toBe(2);
    const seedPair = versions[0]?.pair.harness;
    const rolled = (await boughtByGates(journal)).filter(({ identity }) => identity.harness === seedPair);
    const places = rolled.map(({ identity }) => `${identity.task} ${identity.repeat}`);
    expect(places.length).toBeGreaterThan(0);
    expect(new Set(places).size).toBe(places.length);
  });
});
