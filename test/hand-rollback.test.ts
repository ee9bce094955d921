import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentHash } from '../src/base/content-hash.ts';
import { memoryJournal } from '../src/base/journal.ts';
import type { Harness } from '../src/harness/harness.ts';
import type { Patch } from '../src/patch/patch.ts';
import { openRegistry, type Registry } from '../src/registry/registry.ts';
import { playGateWorld, type Question, rightFor, saying } from './scripted-world/gate-world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-by-hand-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const LARGE = 'Think of a number line.';
const SMALL = 'Be exact.';

/** A person goes back to the seed pair; nothing where no other version is accepted yet, or it was done. */
function goingBack(registry: Registry) {
  let isAsked = false;
  return async () => {
    const [seed, accepted] = isAsked ? [] : await registry.versions();
    if (seed === undefined || accepted === undefined) return;
    isAsked = true;
    const asked = { kind: 'rollback', verdict: 'rollback', reason: 'user', explanation: 'Back to v0' } as const;
    const key = contentHash({ step: 'rollback', from: 1, to: 0 });
    await registry.record(key, { ...seed, ...asked, parent: 1, round: 1 }, await registry.harness(seed.pair.harness));
  };
}

/** Round 1 accepts a diff with a large effect, and a person goes back to the seed pair before it ends; round 2 proposes what is given. */
async function play(name: string, proposals: ((harness: Harness) => Patch[])[]) {
  const journal = memoryJournal();
  const registry = openRegistry(join(folder, name, 'registry'), journal);
  const goBack = goingBack(registry);
  const world = {
    journal,
    config: { rounds: 2, iterations: 2 },
    proposals: [(harness: Harness) => [saying(LARGE)(harness)], () => [], ...proposals],
    answer: async (question: Question) => {
      // At the first rollout after the decision.
      await goBack();
      const has = (line: string) => question.before.includes(line);
      return rightFor(0.3 + (has(LARGE) ? 0.4 : 0) + (has(SMALL) ? 0.2 : 0), question);
    },
  };
  const played = await playGateWorld(join(folder, name), world);
  expect(played.versions.slice(0, 3).map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
    'seed seed',
    'harness improved',
    'rollback user',
  ]);
  return { ...played, again: () => playGateWorld(join(folder, name), world) };
}

describe('after a person rolled back', { timeout: 180_000 }, () => {
  it('what comes next is audited against what the person went back to, not against what was removed', async () => {
    const { versions, journal } = await play('audited', [(harness) => [saying(SMALL)(harness)]]);
    expect(versions.slice(3)).toMatchObject([{ kind: 'harness', verdict: 'better', parent: 2, accepted: true }]);
    expect((await journal.entries('audited')).map(({ value }) => value)).toEqual([{ version: 1 }, { version: 3 }]);
  });

  it('the same diff is not proposed again under the same weights, and a run that is continued goes the same way', async () => {
    const { versions, refusals, journal, again } = await play('same', [(harness) => [saying(LARGE)(harness)]]);
    expect(versions).toHaveLength(3);
    expect(refusals).toContainEqual(
      expect.stringMatching(/decided before under the same weights: v2 rolled it back \(user\)/),
    );
    const entries = await journal.entries();
    expect((await again()).refusals).toEqual(refusals);
    expect(await journal.entries()).toEqual(entries);
  });

  it('decisions on the pair it went back to are kept apart from those of its first time', async () => {
    const { versions, journal } = await play('keys', [(harness) => [saying(SMALL)(harness)]]);
    const [seed, first, back, second] = versions;
    const keyOf = (child = seed, since = {}) =>
      contentHash({
        step: 'gate',
        seed: 1,
        parent: seed?.pair,
        child: child?.pair,
        patch: child?.patch?.id ?? null,
        gate: { rule: 'betting', alpha: 0.05, margin: 0.05 },
        ...since,
      });
    const keys = (await journal.entries('gate')).map(({ key }) => key);
    expect(keys).toEqual([keyOf(first), keyOf(second, { since: back?.version })]);
  });

  it('the very weights that it left are not taken again', async () => {
    const journal = memoryJournal();
    const goBack = goingBack(openRegistry(join(folder, 'weights', 'registry'), journal));
    const { versions, events } = await playGateWorld(join(folder, 'weights'), {
      journal,
      config: { only: 'weights', rounds: 2 },
      files: { 'harness.yaml': 'name: sums\nsampling: { temperature: 0.7 }\n' },
      adapter: contentHash('what every training gives'),
      answer: async (question) => {
        await goBack();
        return rightFor(question.adapted ? 0.8 : 0.3, question);
      },
    });
    expect(versions.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
      'seed seed',
      'weights improved',
      'rollback user',
    ]);
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices).toContainEqual(
      expect.stringMatching(/Round 2: training gave the very weights that were rolled back/),
    );
  });
});
