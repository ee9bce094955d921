import type { Harness } from '../harness/harness.ts';
import type { ModelIdentity } from '../model/model-backend.ts';
import type { Trajectory } from '../trajectory/trajectory.ts';
import type { RunContext, Throughput } from './run-context.ts';

/** Pairs whose rates are kept, the latest ones: every plan holds them. */
const MOST_RATES = 32;

/** What a batch rolled out under one pair. */
export interface PairRollouts {
  harness: Harness;
  model: ModelIdentity;
  rollouts: readonly Trajectory[];
}

/**
 * Seconds per rollout by pair, given what was known before and a batch that took `seconds`: a pair takes its share of the generated tokens, which is what takes the
 * time; where an engine counts none, its share of the rollouts. Pure.
 */
export function ratesWith(
  known: Throughput['secondsByPair'],
  batch: readonly PairRollouts[],
  seconds: number,
): Throughput['secondsByPair'] {
  const generated = ({ rollouts }: PairRollouts) =>
    rollouts.reduce((sum, { usage }) => sum + usage.completionTokens, 0);
  const tokens = batch.reduce((sum, own) => sum + generated(own), 0);
  const count = batch.reduce((sum, { rollouts }) => sum + rollouts.length, 0);
  const measured = batch
    .filter(({ rollouts }) => rollouts.length > 0)
    .map((own): [string, number] => {
      const share = tokens === 0 ? own.rollouts.length / count : generated(own) / tokens;
      return [rateKey(own.harness, own.model), (seconds * share) / own.rollouts.length];
    });
  const kept = Object.entries(known).filter(([key]) => !measured.some(([other]) => other === key));
  return Object.fromEntries([...kept, ...measured].slice(-MOST_RATES));
}

function rateKey(harness: Harness, model: ModelIdentity): string {
  return `${harness.hash} ${model.adapter}`;
}

/** Seconds that one rollout of a pair takes in a batch: measured for this pair, else what the last batch took. */
export function secondsPerRollout(
  { throughput }: Pick<RunContext, 'throughput'>,
  harness: Harness,
  model: ModelIdentity,
): number {
  return throughput.secondsByPair[rateKey(harness, model)] ?? throughput.secondsPerRollout;
}
