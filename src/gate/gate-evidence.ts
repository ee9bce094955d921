import { bettingInterval } from '../statistics/betting-confidence-sequence.ts';
import type { Effect } from './decision.ts';
import { type GroupDifference, type PairedOutcome, PairLedger } from './paired-outcome.ts';
import type { GatePlan } from './plan-gate.ts';
import type { SequentialDecision } from './sequential-decision.ts';

export const INTERVAL_LEVEL = 0.95;

/** Everything seen in one decision so far: the pairs' ledger, the groups' rows and the running e-processes. */
export class GateEvidenceSoFar {
  readonly ledger = new PairLedger();
  readonly rows: GroupDifference[] = [];
  readonly sequence: SequentialDecision;
  looks = 0;

  private readonly horizon: { observations: number; variance: number };

  constructor(sequence: SequentialDecision, plan: GatePlan) {
    this.sequence = sequence;
    this.horizon = { observations: plan.groups, variance: plan.groupVariance };
  }

  /** One batch of whole groups. Throws what `PairLedger.add` throws. */
  add(pairs: readonly PairedOutcome[]): void {
    this.looks++;
    for (const row of this.ledger.add(pairs)) {
      this.rows.push(row);
      this.sequence.add(row.whole, row.targeted, row.heldOut, row.heldOutShare);
    }
  }

  get allTied(): boolean {
    return this.rows.every((row) => row.whole === 0);
  }

  get whole(): Effect {
    return effect(this.rows, this.horizon, (row) => [row.whole, row.parent, row.child]) ?? NO_EFFECT;
  }

  get targeted(): Effect | null {
    return effect(this.rows, this.horizon, (row) => [row.targeted, row.targetedParent, row.targetedChild]);
  }

  get heldOut(): Effect | null {
    return this.rows.some((row) => !Number.isNaN(row.targeted))
      ? effect(this.rows, this.horizon, (row) => [row.heldOut, row.heldOutParent, row.heldOutChild])
      : null;
  }
}

/** Nothing was scored: the interval excludes nothing. */
const NO_EFFECT: Effect = { mean: 0, low: -1, high: 1, parent: 0, child: 0, groups: 0 };

function effect(
  rows: readonly GroupDifference[],
  horizon: { observations: number; variance: number },
  pick: (row: GroupDifference) => [difference: number, parent: number, child: number],
): Effect | null {
  const present = rows.map(pick).filter(([difference]) => !Number.isNaN(difference));
  if (present.length === 0) return null;
  const average = (index: 0 | 1 | 2) => present.reduce((sum, values) => sum + values[index], 0) / present.length;
  const { low, high } = bettingInterval(
    present.map(([difference]) => difference),
    INTERVAL_LEVEL,
    horizon,
  );
  return { mean: average(0), low, high, parent: average(1), child: average(2), groups: present.length };
}
