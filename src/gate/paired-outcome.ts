import { CoHarnessError } from '../base/errors.ts';
import { percent } from '../base/share-text.ts';
import { exactBounds } from '../statistics/exact-bounds.ts';
import { signTest } from '../statistics/sign-test.ts';

/**
 * Parent and child on the same task with the same seed. Scores in [0, 1]; null = unscored for a cause that cannot depend
 * on φ (a time-out or overflow that φ may have caused is 0). Tokens: generated, ≥ 0.
 */
export interface PairedOutcome {
  task: string;
  group: string;
  repeat: number;
  parent: number | null;
  child: number | null;
  parentTokens: number;
  childTokens: number;
  /**
   * Whether the pair belongs to the stratum the diff aims at: the targeted failure shows in the parent's *or* the child's
   * rollout. Never by the parent's alone: a stratum picked by one arm's failures recovers by itself (regression to the mean),
   * and what is left as held out can then only get worse; a label that treats both arms alike is fair to a diff that does nothing.
   */
  targeted: boolean;
  /** Milliseconds; both or neither. */
  parentMs?: number;
  childMs?: number;
  /** Block of rollouts that each arm ran by itself and that was timed as a whole: `…Ms` are then shares of its time. One block is one piece of evidence. */
  timedWith?: string;
  /** Content of the task when each arm ran; compared where both are given. */
  parentTaskHash?: string;
  childTaskHash?: string;
}

/** Groups of one batch, ready to be evidence: mean differences in [−1, 1], NaN where nothing was scored. */
export interface GroupDifference {
  group: string;
  whole: number;
  targeted: number;
  heldOut: number;
  /** Share of the scored pairs that are held out, in [0, 1]. */
  heldOutShare: number;
  parent: number;
  child: number;
  targetedParent: number;
  targetedChild: number;
  heldOutParent: number;
  heldOutChild: number;
  /** (parent − child) / larger of both, in [−1, 1]: above 0 where the child needs less. */
  tokenGain: number;
}

/** Counts over all pairs seen so far; checks every pair on the way in. */
export class PairLedger {
  pairs = 0;
  parentUnscored = 0;
  childUnscored = 0;
  parentOnlyUnscored = 0;
  childOnlyUnscored = 0;
  parentTokens = 0;
  childTokens = 0;
  /** Sums by group, or by block of pairs that were timed together; NaN where a pair has no times. */
  private readonly times = new Map<string, { parentMs: number; childMs: number; pairs: number; isBlock: boolean }>();
  private readonly seen = new Set<string>();
  private readonly seenGroups = new Set<string>();

  /**
   * Takes the pairs of one batch of whole groups. Returns one row per group with a scored pair, in order of first
   * appearance. Throws CoHarnessError `score-out-of-range`, `duplicate-pair`, `task-changed` or `split-group`.
   */
  add(pairs: readonly PairedOutcome[]): GroupDifference[] {
    const byGroup = new Map<string, PairedOutcome[]>();
    for (const pair of pairs) {
      this.check(pair);
      this.count(pair);
      const members = byGroup.get(pair.group);
      if (members === undefined) byGroup.set(pair.group, [pair]);
      else members.push(pair);
    }
    const rows: GroupDifference[] = [];
    for (const [group, members] of byGroup) {
      if (this.seenGroups.has(group)) throw splitGroup(group);
      this.seenGroups.add(group);
      const row = groupDifference(group, members);
      if (row !== null) rows.push(row);
    }
    this.addTimes(pairs);
    return rows;
  }

  /** As `tokenGain`, of time: one a group, NaN where it has no times; and one a block of pairs that were timed together, without those that have none. */
  get timeGains(): number[] {
    return [...this.times.values()]
      .filter(({ parentMs, childMs, isBlock }) => !isBlock || !Number.isNaN(parentMs + childMs))
      .map(({ parentMs, childMs }) => gain(parentMs, childMs));
  }

  get isTimedInBlocks(): boolean {
    return [...this.times.values()].some(({ isBlock }) => isBlock);
  }

  /** Mean seconds of a rollout over the pairs with times; null where nobody measured any. */
  get seconds(): { parent: number; child: number } | null {
    const timed = [...this.times.values()].filter(({ parentMs, childMs }) => parentMs + childMs > 0);
    const pairs = sum(timed, (one) => one.pairs);
    if (pairs === 0) return null;
    return {
      parent: sum(timed, ({ parentMs }) => parentMs) / pairs / 1000,
      child: sum(timed, ({ childMs }) => childMs) / pairs / 1000,
    };
  }

  /** Pairs with a score in both arms. */
  get scored(): number {
    return this.pairs - this.parentUnscored - this.childUnscored + this.bothUnscored;
  }

  /**
   * Why no decision may be taken on these pairs, or null. `limit`: largest share of pairs without two scores. `halfway`: more
   * pairs will come, so the share blocks only when it is above the limit beyond chance: one lost rollout is no outage.
   */
  block(
    limit: number,
    halfway: boolean,
  ): { reason: 'unscored-all' | 'unscored-share' | 'unscored-imbalance'; explanation: string } | null {
    const missing = this.pairs - this.scored;
    if (missing === 0) return null;
    const where = `${this.parentUnscored} of the parent's and ${this.childUnscored} of the child's ${this.pairs} rollouts`;
    if (missing === this.pairs) {
      return { reason: 'unscored-all', explanation: `None of ${this.pairs} pairs could be scored (${where}).` };
    }
    const share = halfway ? exactBounds(missing, this.pairs, 1 - IMBALANCE_LEVEL).lower : missing / this.pairs;
    if (share > limit) {
      return {
        reason: 'unscored-share',
        explanation: `${where} are unscored: ${percent(missing / this.pairs)} of the pairs, above the limit of ${percent(limit)}.`,
      };
    }
    const more = Math.max(this.parentOnlyUnscored, this.childOnlyUnscored);
    const fewer = Math.min(this.parentOnlyUnscored, this.childOnlyUnscored);
    if (2 * signTest(more, fewer) < IMBALANCE_LEVEL) {
      return {
        reason: 'unscored-imbalance',
        explanation: `${where} are unscored: failures that strike one arm so much more often may come from the diff itself.`,
      };
    }
    return null;
  }

  private bothUnscored = 0;

  private count(pair: PairedOutcome): void {
    this.pairs++;
    this.parentTokens += pair.parentTokens;
    this.childTokens += pair.childTokens;
    if (pair.parent === null) this.parentUnscored++;
    if (pair.child === null) this.childUnscored++;
    if (pair.parent === null && pair.child === null) this.bothUnscored++;
    else if (pair.parent === null) this.parentOnlyUnscored++;
    else if (pair.child === null) this.childOnlyUnscored++;
  }

  private addTimes(pairs: readonly PairedOutcome[]): void {
    for (const { parent, child, group, timedWith, parentMs = Number.NaN, childMs = Number.NaN } of pairs) {
      if (parent === null || child === null) continue;
      const isBlock = timedWith !== undefined;
      const key = `${isBlock} ${timedWith ?? group}`;
      const known = this.times.get(key) ?? { parentMs: 0, childMs: 0, pairs: 0, isBlock };
      this.times.set(key, {
        parentMs: known.parentMs + parentMs,
        childMs: known.childMs + childMs,
        pairs: known.pairs + 1,
        isBlock,
      });
    }
  }

  private check(pair: PairedOutcome): void {
    for (const arm of ['parent', 'child'] as const) {
      const score = pair[arm];
      if (score !== null && !(score >= 0 && score <= 1)) {
        throw new CoHarnessError(
          'score-out-of-range',
          `The ${arm}'s score of task ${pair.task} (repeat ${pair.repeat}) is ${score}; scores lie in [0, 1]. Correct the verifier.`,
          { details: { task: pair.task, repeat: pair.repeat, arm, score: String(score) } },
        );
      }
    }
    const key = `${pair.task}\u0000${pair.repeat}`;
    if (this.seen.has(key)) {
      throw new CoHarnessError(
        'duplicate-pair',
        `Task ${pair.task}, repeat ${pair.repeat} came twice: the same rollouts cannot be evidence two times. Give each repeat its own number.`,
        { details: { task: pair.task, repeat: pair.repeat } },
      );
    }
    this.seen.add(key);
    if (
      pair.parentTaskHash !== undefined &&
      pair.childTaskHash !== undefined &&
      pair.parentTaskHash !== pair.childTaskHash
    ) {
      throw new CoHarnessError(
        'task-changed',
        `Task ${pair.task} changed between the parent's and the child's rollout (${pair.parentTaskHash} and ${pair.childTaskHash}). Roll out both arms again.`,
        { details: { task: pair.task, parent: pair.parentTaskHash, child: pair.childTaskHash } },
      );
    }
  }
}

/** Level of the tests that unscored rollouts strike both arms alike (two-sided), and no more often than allowed. */
const IMBALANCE_LEVEL = 0.01;

function splitGroup(group: string): CoHarnessError {
  return new CoHarnessError(
    'split-group',
    `Group ${group} came in two batches: a group is one piece of evidence. Draw all its tasks and repeats in one batch.`,
    { details: { group } },
  );
}

function groupDifference(group: string, members: readonly PairedOutcome[]): GroupDifference | null {
  const scored = members.filter((pair) => pair.parent !== null && pair.child !== null);
  if (scored.length === 0) return null;
  const all = arms(scored);
  const targeted = arms(scored.filter((pair) => pair.targeted));
  const heldOut = arms(scored.filter((pair) => !pair.targeted));
  return {
    group,
    whole: all.child - all.parent,
    targeted: targeted.child - targeted.parent,
    heldOut: heldOut.child - heldOut.parent,
    heldOutShare: scored.filter((pair) => !pair.targeted).length / scored.length,
    parent: all.parent,
    child: all.child,
    targetedParent: targeted.parent,
    targetedChild: targeted.child,
    heldOutParent: heldOut.parent,
    heldOutChild: heldOut.child,
    tokenGain: gain(
      sum(scored, (pair) => pair.parentTokens),
      sum(scored, (pair) => pair.childTokens),
    ),
  };
}

/** Mean scores of both arms, NaN without pairs. */
function arms(pairs: readonly PairedOutcome[]): { parent: number; child: number } {
  return {
    parent: sum(pairs, (pair) => pair.parent as number) / pairs.length,
    child: sum(pairs, (pair) => pair.child as number) / pairs.length,
  };
}

/** NaN where either is. */
function gain(parent: number, child: number): number {
  const larger = Math.max(parent, child);
  return larger === 0 ? 0 : (parent - child) / larger;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
