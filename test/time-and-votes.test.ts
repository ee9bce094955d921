import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock, systemClock } from '../src/base/clock.ts';
import { memoryJournal } from '../src/base/journal.ts';
import type { PatchEdit } from '../src/harness/patch-edit.ts';
import { ProviderError } from '../src/model/provider-error.ts';
import { type GateWorld, patchFor, playGateWorld, type Question } from './scripted-world/gate-world.ts';
import { sumTasks } from './scripted-world/scripted-world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'co-harness-time-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const FAIR = { config: { gate: { margin: 0.08 } }, gateTasks: 300, sizes: { candidates: 8, screeningTasks: 48 } };

/** Right for the share `rate` by the luck of each sampled rollout; wrong answers are scattered, as those of models are. */
function byChance(rate: number, { sum, chance }: Question): string {
  return chance < rate ? `${sum}` : `${sum + 1 + Math.floor(chance * 1000)}`;
}

/** Right on the same six tasks of ten, whatever φ is. */
function steadily({ sum, luck }: Question): string {
  return luck < 0.6 ? `${sum}` : `${sum + 1}`;
}

/** Nothing but this diff is proposed. */
function proposing(edit: PatchEdit, kind: 'in-flight-changed' | 'setting-changed') {
  return { proposals: [(harness) => [patchFor(harness, [edit], { probe: { kind } })]] } satisfies Partial<GateWorld>;
}

/** A φ with `old` rollouts in flight, and the diff that makes them `value`. */
function inFlight(old: number, value: number | null) {
  return {
    files: { 'harness.yaml': `name: sums\nbatching: { inFlight: ${old} }\n` },
    ...proposing({ path: 'harness.yaml#/batching/inFlight', old, value }, 'in-flight-changed'),
  };
}

describe('the loop finds by itself, and the gate passes', { timeout: 240_000 }, () => {
  it('that rollouts side by side are faster, in seconds of whole batches', async () => {
    const { versions } = await playGateWorld(join(folder, 'batching'), {
      ...FAIR,
      files: { 'harness.yaml': 'name: sums\nbatching: { inFlight: 1 }\n' },
      concurrency: 8,
      clock: systemClock,
      answer: async (question) => {
        // Longer than what the loop itself takes for a rollout, on a busy machine too.
        await delay(25);
        return steadily(question);
      },
    });
    expect(versions[1]).toMatchObject({
      verdict: 'faster',
      accepted: true,
      patch: {
        proposer: 'rollouts-in-flight',
        edits: [{ path: 'harness.yaml#/batching/inFlight', old: 1, value: null }],
      },
    });
    expect(versions[1]?.decision?.explanation).toMatch(/needs less time: .* s a rollout instead of/);
    const { parent = 0, child = 1 } = versions[1]?.decision?.seconds ?? {};
    expect(child).toBeLessThan(parent / 2);
  });

  it('that a majority over diverse seeds is better, booked as bought with its price', async () => {
    const { versions } = await playGateWorld(join(folder, 'vote'), {
      ...FAIR,
      answer: (question) => byChance(0.5, question),
    });
    expect(versions[1]).toMatchObject({
      verdict: 'bought',
      accepted: true,
      reason: 'improved-by-spending',
      patch: { proposer: 'votes', relaxes: ['votes'] },
    });
    expect(versions[1]?.decision?.tokensPerPoint).toBeGreaterThan(0);
  });
});

describe('diffs of time and votes', { timeout: 240_000 }, () => {
  it('a vote that ends once it is decided is faster by its tokens', async () => {
    const { versions } = await playGateWorld(join(folder, 'decided'), {
      ...FAIR,
      files: { 'harness.yaml': 'name: sums\nvotes: 5\nsampling: { temperature: 0.7 }\n' },
      answer: (question) => byChance(0.6, question),
      ...proposing({ path: 'harness.yaml#/voting', value: { stopWhenDecided: true } }, 'setting-changed'),
    });
    expect(versions[1]).toMatchObject({ verdict: 'faster', accepted: true });
    expect(versions[1]?.decision?.tokens.child).toBeLessThan(0.95 * (versions[1]?.decision?.tokens.parent ?? 0));
  });

  it('fewer rollouts in flight are refused where they save no time', async () => {
    const { versions } = await playGateWorld(join(folder, 'slower'), {
      ...FAIR,
      ...inFlight(8, 2),
      concurrency: 8,
      clock: systemClock,
      answer: async (question) => {
        await delay(2);
        return steadily(question);
      },
    });
    expect(versions[1]).toMatchObject({ verdict: 'reject', reason: 'no-gain', accepted: false });
  });

  it('that an engine does not bear cost the diff its decision, not the run', async () => {
    const gate = new Set(sumTasks(FAIR.gateTasks).map(({ problem }) => problem));
    let busy = 0;
    const { versions } = await playGateWorld(join(folder, 'too-many'), {
      ...FAIR,
      ...inFlight(2, 8),
      concurrency: 8,
      answer: async (question) => {
        busy++;
        await delay(1);
        const isTooMuch = busy > 4 && gate.has(question.problem);
        busy--;
        if (isTooMuch) throw new ProviderError('unauthorised', 'too many at once');
        return steadily(question);
      },
    });
    expect(versions[1]).toMatchObject({ verdict: 'indecisive', reason: expect.stringMatching(/^unscored/) });
  });

  it('are not paid for where the gate tasks make too few blocks for time to be shown', async () => {
    const { versions, rollouts, refusals } = await playGateWorld(join(folder, 'small'), {
      config: { gate: { margin: 0.2 } },
      concurrency: 16,
      answer: steadily,
      ...proposing({ path: 'harness.yaml#/batching', value: { inFlight: 32 } }, 'in-flight-changed'),
    });
    expect(refusals).toEqual([expect.stringMatching(/11 blocks of 32 rollouts or more; the gate tasks make 3\.$/)]);
    expect(versions).toHaveLength(1);
    expect(rollouts.filter(({ identity }) => identity.split === 'gate')).toEqual([]);
  });

  const hurried = (time: number, { clock = manualClock(), journal = memoryJournal(), answer = steadily } = {}) =>
    playGateWorld(join(folder, `hurried-${time}`), {
      clock,
      journal,
      ...FAIR,
      ...inFlight(6, null),
      config: { ...FAIR.config, iterations: 2, budget: { time } },
      sizes: { ...FAIR.sizes, gateGroups: null },
      concurrency: 16,
      answer,
    });

  it('get the blocks that time must have, also where their share of the time has room for fewer', async () => {
    const { events } = await hurried(200);
    const plans = events.flatMap((event) => (event.type === 'plan-made' ? event.lines : []));
    const groups = plans.map((line) => /^gate of .*: up to (\d+) groups/.exec(line)?.[1]).find((found) => found);
    expect(Number(groups)).toBeGreaterThanOrEqual(11 * 16);
  });

  it('stand when a run whose time is over is continued', async () => {
    const [clock, journal] = [manualClock(), memoryJournal()];
    // Its gate takes what is left of the time.
    let answers = 0;
    const answer = (question: Question) => {
      if (++answers > 300) clock.advance(2_000);
      return steadily(question);
    };
    const { versions, refusals } = await hurried(200, { clock, journal, answer });
    expect(versions).toHaveLength(2);
    const again = await hurried(200, { journal });
    expect(again.refusals).toEqual(refusals);
    expect(again.versions).toEqual(versions);
  });

  it('are not paid for where the run has no time for these blocks', async () => {
    const { refusals } = await hurried(100);
    expect(refusals.slice(0, 1)).toEqual([
      expect.stringMatching(/which take this φ about 3 min; 1 min of the run are left/),
    ]);
  });

  it('of the arm that finds a warm cache are no gain: the arms take turns in going first', async () => {
    const met = new Set<string>();
    const clock = manualClock();
    const { versions } = await playGateWorld(join(folder, 'cache'), {
      ...FAIR,
      ...inFlight(24, 32),
      gateTasks: 400,
      clock,
      answer: (question) => {
        clock.advance(met.has(question.problem) ? 1 : 100);
        met.add(question.problem);
        return steadily(question);
      },
    });
    expect(versions[1]).toMatchObject({ verdict: 'reject', reason: 'no-gain', accepted: false });
  });

  it('the same number under another name is dead: nothing ran otherwise', async () => {
    const { versions } = await playGateWorld(join(folder, 'same'), {
      ...FAIR,
      ...inFlight(4, null),
      concurrency: 4,
      answer: steadily,
    });
    expect(versions[1]).toMatchObject({ verdict: 'dead', accepted: false });
  });
});
