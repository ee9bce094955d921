import { join } from 'node:path';
import { contentHash } from '../../src/base/content-hash.ts';
import { openSqliteJournal } from '../../src/base/sqlite-journal.ts';
import type { GateDecision } from '../../src/gate/decision.ts';
import { openRegistry } from '../../src/registry/registry.ts';
import type { Version } from '../../src/registry/version.ts';
import { seedHarness } from './scripted-world.ts';

/** +20 points on 60 pairs, shown by betting. */
export const DECISION: GateDecision = {
  verdict: 'better',
  reason: 'improved',
  explanation: 'Improves by +20.0 pp (shown by betting).',
  rule: 'betting',
  whole: { mean: 0.2, low: 0.05, high: 0.35, parent: 0.3, child: 0.5, groups: 60 },
  targeted: { mean: 0.3, low: 0.1, high: 0.5, parent: 0, child: 0.3, groups: 20 },
  heldOut: null,
  groups: 60,
  pairs: 60,
  unscored: { parent: 0, child: 0 },
  rollouts: 120,
  tokens: { parent: 300, child: 400 },
  tokensPerPoint: null,
  evidence: {
    alpha: 0.025,
    level: 0.95,
    eValue: 57.3,
    eValueNeeded: 40,
    pValue: null,
    notWorseEValue: null,
    margin: 0.05,
    marginTested: 0.05,
    looks: 6,
    plannedLooks: 10,
  },
};

/**
 * `runs/NAME` in `folder`: of each seed the seed pair, one change that was accepted and one that was refused, so that seed 1 has v0 to v2, seed 2 v3 to
 * v5 … The seed pair is the same one, the accepted pairs differ.
 */
export async function writeSeveralSeeds(folder: string, name: string, seeds: number): Promise<void> {
  const place = join(folder, 'runs', name);
  const journal = openSqliteJournal(join(place, 'run.sqlite'));
  const registry = openRegistry(join(place, 'registry'), journal);
  const harness = seedHarness();
  const nothing = { patch: null, prediction: null, training: null };
  const record = (seed: number, entry: Pick<Version, 'parent' | 'kind' | 'verdict' | 'decision'>, adapter?: string) =>
    registry.record(
      contentHash([seed, entry.kind, entry.verdict]),
      {
        ...nothing,
        ...entry,
        seed,
        round: entry.kind === 'seed' ? 0 : 1,
        pair: {
          harness: harness.hash,
          model: { base: contentHash('base'), adapter: adapter === undefined ? null : contentHash(adapter) },
        },
        reason: entry.verdict,
        explanation: entry.decision?.explanation ?? 'The pair the run started from.',
      },
      harness,
    );
  await journal.put({
    key: contentHash({ step: 'run' }),
    kind: 'run',
    value: { name, seeds, sealed: [], engines: { model: {} } },
  });
  for (let seed = 1; seed <= seeds; seed++) {
    const start = await record(seed, { parent: null, kind: 'seed', verdict: 'seed', decision: null });
    const change = { parent: start.version, kind: 'weights' } as const;
    await record(seed, { ...change, verdict: 'better', decision: DECISION }, `better of ${seed}`);
    const refused = { ...DECISION, verdict: 'reject', reason: 'worse' } as const;
    await record(seed, { ...change, verdict: 'reject', decision: refused }, `refused of ${seed}`);
  }
  await journal.close();
}
