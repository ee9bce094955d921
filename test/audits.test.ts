import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Journal, memoryJournal } from '../src/base/journal.ts';
import { lineageOf } from '../src/registry/lineage.ts';
import type { AuditEvidence, Version } from '../src/registry/version.ts';
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

const unused = (index: number) => ({
  path: `examples/${index}.yaml`,
  text: `problem: "E${index}."\nsteps: [{ text: "0" }]\n`,
});

/** Each iteration drops the next example. */
function dropping(
  count: number,
  { isSampled = false, ...world }: Omit<GateWorld, 'files' | 'proposals'> & { isSampled?: boolean },
): GateWorld {
  const examples = Array.from({ length: count }, (_, index) => unused(index + 1));
  return {
    ...world,
    config: { iterations: count, ...world.config },
    files: {
      ...Object.fromEntries(examples.map(({ path, text }) => [path, text])),
      'harness.yaml': `name: sums\nsampling: { temperature: ${isSampled ? 0.7 : 0} }\n`,
    },
    // What audits take where nobody fixes it.
    sizes: { screeningTasks: 96, auditGroups: null, ...world.sizes },
    proposals: examples.map(({ path, text }) => (harness) => [patchFor(harness, [{ path, old: text }])]),
  };
}

function told(events: Awaited<ReturnType<typeof playGateWorld>>['events']): string {
  return events
    .flatMap((event) =>
      event.type === 'plan-made' ? event.lines : event.type === 'step-finished' ? [event.detail] : [],
    )
    .join('\n');
}

describe('deletions that change nothing, with audits of the usual size', { timeout: 180_000 }, () => {
  it.each([false, true])('stay, the second one too, where there are groups enough (sampled: %s)', async (isSampled) => {
    const answer: GateWorld['answer'] = (question) => rightFor(0.5, question);
    const play = (kept?: Journal) =>
      playGateWorld(join(folder, `harmless-${isSampled}`), {
        ...dropping(2, { isSampled, gateTasks: 400, answer }),
        ...(kept === undefined ? {} : { journal: kept }),
      });
    const { versions, journal, events } = await play();
    expect(versions.map(({ verdict }) => verdict)).toEqual(['seed', 'simpler', 'simpler']);
    expect((await journal.entries('audited')).map(({ value }) => value)).toEqual([{ version: 1 }, { version: 2 }]);
    // The first one is covered by its gate; the second could have lost as much again.
    const audits = (await journal.entries('audit')).map(({ value }) => value as AuditEvidence);
    expect(audits).toMatchObject([{ subject: 2, against: 'seed', verdict: 'ok' }]);
    expect(told(events)).toMatch(/audit of v2 against the seed pair: .*must show that less than 5\.0 pp were lost/);

    const entries = await journal.entries();
    const first = entries.findIndex(({ kind, value }) => kind === 'version' && (value as Version).version === 1);
    const cut = memoryJournal();
    for (const entry of entries.slice(0, first + 1)) await cut.put(entry);
    await play(cut);
    expect(await cut.entries()).toEqual(entries);
  });

  it('are not gated where no audit could show that together they stay within the margin, and the run says so', async () => {
    const { versions, rollouts, events } = await playGateWorld(
      join(folder, 'too-many'),
      // Seeds differ from screening to screening: the more diffs lie between, the less is known of how much scores differ.
      dropping(3, {
        isSampled: true,
        gateTasks: 320,
        sizes: { miningTasks: 60 },
        answer: (question) => rightFor(0.5, question),
      }),
    );
    expect(versions.map(({ verdict }) => verdict)).toEqual(['seed', 'simpler', 'simpler']);
    expect(told(events)).toMatch(
      /would have to improve: others since the seed pair were only shown not to be worse, and with 320 groups an audit could not show/,
    );
    const onGate = new Set(rollouts.flatMap(({ identity }) => (identity.split === 'gate' ? [identity.harness] : [])));
    expect(onGate).toEqual(new Set(versions.map(({ pair }) => pair.harness)));
  });

  it('improve, or are refused, in the gate where an audit could not show their sum and train promised a gain', async () => {
    const { versions, events } = await playGateWorld(
      join(folder, 'promising'),
      dropping(2, {
        gateTasks: 400,
        sizes: { auditGroups: 40 },
        // The second one helps on train alone.
        isTrainLuck: (luck) => luck < 0.5 || luck > 0.6,
        answer: (question) => rightFor(question.before.includes('E2.') || question.luck < 0.6 ? 0.5 : 0.8, question),
      }),
    );
    expect(versions[1]).toMatchObject({ verdict: 'simpler' });
    expect(told(events)).toMatch(/it must improve: others since the seed pair were only shown not to be worse/);
    expect(versions[2]?.verdict).not.toBe('simpler');
    expect(versions.filter(({ kind }) => kind === 'rollback')).toEqual([]);
  });
});

describe('two deletions whose losses may add up to more than the margin, or may not', { timeout: 180_000 }, () => {
  it('the second goes back, and the registry says that nothing was shown, not that it lost', async () => {
    const { versions } = await playGateWorld(
      join(folder, 'unclear'),
      dropping(2, {
        config: { gate: { margin: 0.1 } },
        gateTasks: 400,
        // What the deletions change, train does not have.
        isTrainLuck: (luck) => (luck > 0.15 && luck < 0.5) || luck > 0.6,
        answer: (question) => {
          const dropped = [1, 2].filter((index) => !question.before.includes(`E${index}.`)).length;
          const { luck } = question;
          const isRight = luck > 0.075 * dropped && luck < 0.5 + 0.05 * dropped;
          return rightFor(isRight ? 1 : 0, question);
        },
      }),
    );
    expect(versions.map(({ verdict }) => verdict)).toEqual(['seed', 'simpler', 'simpler', 'rollback']);
    const rollback = versions[3];
    expect(rollback).toMatchObject({
      pair: versions[1]?.pair,
      reason: 'not-shown-equal',
      rolledBack: { undoes: [2], evidence: { against: 'seed', verdict: 'unclear' } },
    });
    expect(rollback?.explanation).toMatch(
      /^Back to v1: v2 rests on "not worse" alone, as others before it, and was not cleared against the seed pair\. .*not shown to have lost less than 10\.0 pp/,
    );
  });
});

describe('an audit in which rollouts of one pair are lost', { timeout: 180_000 }, () => {
  const HINT = 'Be exact.';
  /** Better in its gate; in the audit after it wrong everywhere, and lost in so many of the gate tasks. */
  const losing = (name: string, share: number) => {
    const journal = memoryJournal();
    return playGateWorld(join(folder, name), {
      journal,
      files: { 'harness.yaml': 'name: sums\nsampling: { temperature: 0.7 }\n', 'retry.yaml': 'modelErrors: 0\n' },
      config: { maxUnscoredShare: 0.5 },
      sizes: { auditGroups: 40 },
      proposals: [(harness) => [saying(HINT)(harness)]],
      answer: async (question) => {
        const isChild = question.before.includes(HINT);
        const isAudited = isChild && (await journal.entries('version')).length > 1;
        if (!isAudited) return rightFor(isChild ? 0.9 : 0.2, question);
        if (question.luck < share) throw new Error('The engine is gone.');
        return 'That is hard to say.';
      },
    });
  };

  it('rolls nothing back and clears nothing, as no gate would decide on them', async () => {
    const { versions, journal, events } = await losing('lost', 0.18);
    expect(versions.map(({ verdict }) => verdict)).toEqual(['seed', 'better']);
    const [audit] = (await journal.entries('audit')).map(({ value }) => value as AuditEvidence);
    expect(audit).toMatchObject({ verdict: 'unclear', blocked: expect.stringMatching(/^unscored-/) });
    expect(await journal.entries('audited')).toEqual([]);
    const notices = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
    expect(notices.join('\n')).toMatch(/Audit against the seed pair: Nothing can be said, so nothing is rolled back/);
  });

  it('rolls back where hardly any is lost', async () => {
    const { versions, journal } = await losing('few-lost', 0.03);
    expect(versions.map(({ verdict }) => verdict)).toEqual(['seed', 'better', 'rollback']);
    expect((await journal.entries('audit'))[0]?.value).not.toHaveProperty('blocked');
  });
});

describe('five diffs that lose 2 points each', { timeout: 180_000 }, () => {
  const examples = [1, 2, 3, 4, 5].map(unused);

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
