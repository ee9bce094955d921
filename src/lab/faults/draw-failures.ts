import { inTurns } from '../../base/in-turns.ts';
import { type Random, seededRandom, seedFrom } from '../../base/random.ts';
import { ATTRIBUTION_LABELS } from '../../critic/attribution.ts';
import type { LabFailure, LabGroup } from './collect-failures.ts';

/** One failure to be judged, with the group that knows its truth. */
export interface DrawnFailure {
  group: LabGroup;
  failure: LabFailure;
}

/**
 * At most `count` distinct failures: one of each label before the second of any, within a label one of each group before the second of any. Labels and groups
 * that run out leave their turn to the others. The same groups and seed give the same draw in the same order.
 */
export function drawFailures(
  groups: readonly LabGroup[],
  { count, seed }: { count: number; seed: number },
): DrawnFailure[] {
  const byLabel = ATTRIBUTION_LABELS.map((label) => {
    const random = seededRandom(seedFrom('failures for a reader', seed, label));
    const members = groups.filter(({ truth }) => truth.label === label);
    return inTurns(random.shuffled(members).map((group) => shuffledFailures(group, random)));
  });
  return inTurns(byLabel).slice(0, count);
}

function shuffledFailures(group: LabGroup, random: Random): DrawnFailure[] {
  return random.shuffled(group.failures).map((failure) => ({ group, failure }));
}
