import { contentHash } from '../base/content-hash.ts';
import type { Version } from '../registry/version.ts';
import { alignModel } from './alignment-phase.ts';
import { evolveHarness } from './harness-phase.ts';
import { measureRate } from './measure-rate.ts';
import type { RunContext } from './run-context.ts';
import { openSealedTest } from './sealed-test.ts';
import { takeRollback } from './take-rollback.ts';

/**
 * Co-Harness (arXiv 2607.22688, §3): harness and weights improved in turns, each change through the same gate, what turns out
 * harmful rolled back. Returns the last champion. Every finished step is in the journal: the same call after a kill continues where it stopped.
 */
export async function coEvolve(context: RunContext): Promise<Version> {
  let champion = await recordSeedPair(context);
  const ends = [champion];
  await measureRate(context);
  for (let round = 1; round <= context.config.rounds; round++) {
    if (context.config.only !== 'weights') champion = await evolveHarness(context, champion, round);
    if (context.config.only !== 'harness') champion = await alignModel(context, champion, round);
    champion = await takeRollback(context, champion, round);
    ends.push(champion);
  }
  await openSealedTest(context, ends);
  return champion;
}

async function recordSeedPair(context: RunContext): Promise<Version> {
  const pair = { harness: context.seedHarness.hash, model: context.models.base };
  const entry = {
    seed: context.seed,
    round: 0,
    parent: null,
    kind: 'seed',
    pair,
    verdict: 'seed',
    reason: 'seed',
    explanation: 'The pair the run started from.',
    patch: null,
    decision: null,
    prediction: null,
    training: null,
  } as const;
  const version = await context.registry.record(
    contentHash({ seedPair: context.seed, pair }),
    entry,
    context.seedHarness,
  );
  context.emit({ type: 'version-recorded', seed: context.seed, round: 0, version });
  return version;
}
