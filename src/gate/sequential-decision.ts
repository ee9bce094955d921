import { BettingEProcess } from '../statistics/betting-e-process.ts';
import { HELD_OUT_ALPHA, NOT_WORSE_ALPHA } from './plan-gate.ts';

/** `improved`, `not-worse`: shown. `futile`: what is left of the budget cannot plausibly show it. `open`: go on. */
export type SequentialState = 'improved' | 'not-worse' | 'futile' | 'open';

export interface SequentialSettings {
  alpha: number;
  /** Margin tested on held-out behaviour, or on everything where "not worse" is enough. */
  margin: number;
  /** Deletions and speed diffs need only be not worse. */
  goal: 'improvement' | 'not-worse';
  /** Most groups there will be. */
  groups: number;
  /** Planning assumptions, used for the forecast of futility only, never as evidence. */
  groupVariance: number;
  minimumDetectableEffect: number;
}

/** A budget whose remainder reaches the goal with less than this chance is not spent. */
const FUTILE_CHANCE = 0.03;
/** Observations that the planned variance is worth in the forecast. */
const PLANNED_WEIGHT = 4;
/** Standard errors above the observed mean that the forecast still believes in, up to the effect the plan aims at. */
const OPTIMISM = 2;

/**
 * The running evidence of one betting decision; one `add` per group, in an order that does not depend on outcomes. Holds no
 * pairs and allocates nothing per group, so that simulations run exactly this code. Stopping for futility only ever
 * withholds an acceptance, and acceptance is by Ville's inequality, so no stopping rule raises the error.
 */
export class SequentialDecision {
  readonly improvement: BettingEProcess;
  readonly notWorse: BettingEProcess;
  readonly notWorseAlpha: number;
  groups = 0;
  private readonly settings: SequentialSettings;
  private sum = 0;
  private squares = 0;
  private targetedSum = 0;
  private targetedGroups = 0;
  private heldOutGroups = 0;

  constructor(settings: SequentialSettings) {
    this.settings = settings;
    this.notWorseAlpha = settings.goal === 'improvement' ? HELD_OUT_ALPHA : Math.min(NOT_WORSE_ALPHA, settings.alpha);
    const horizon = { observations: settings.groups, variance: settings.groupVariance };
    this.improvement = new BettingEProcess(0, { ...horizon, target: 1 / settings.alpha });
    this.notWorse = new BettingEProcess(-settings.margin, { ...horizon, target: 1 / this.notWorseAlpha });
  }

  /** Mean differences of one group in [−1, 1]; NaN for a stratum with no scored pair in it. */
  add(whole: number, targeted: number, heldOut: number): void {
    this.groups++;
    this.sum += whole;
    this.squares += whole * whole;
    this.improvement.add(whole);
    if (!Number.isNaN(targeted)) {
      this.targetedSum += targeted;
      this.targetedGroups++;
    }
    const guarded = this.settings.goal === 'improvement' ? heldOut : whole;
    if (!Number.isNaN(guarded)) {
      this.heldOutGroups++;
      this.notWorse.add(guarded);
    }
  }

  get mean(): number {
    return this.groups === 0 ? 0 : this.sum / this.groups;
  }

  get improvementShown(): boolean {
    return this.improvement.peak >= 1 / this.settings.alpha && this.sum > 0;
  }

  /** True also where nothing is held out: then the whole is the target. */
  get heldOutShown(): boolean {
    return this.heldOutGroups === 0 || this.notWorse.peak >= 1 / this.notWorseAlpha;
  }

  /** The targeted stratum must not have lost; only the whole carries the error guarantee. */
  get targetedHolds(): boolean {
    return this.targetedGroups === 0 || this.targetedSum > 0;
  }

  state(): SequentialState {
    if (this.improvementShown && this.heldOutShown && this.targetedHolds) return 'improved';
    if (this.settings.goal === 'not-worse' && this.heldOutShown && this.groups > 0) return 'not-worse';
    return this.futile() ? 'futile' : 'open';
  }

  private futile(): boolean {
    const { settings, groups } = this;
    const remaining = settings.groups - groups;
    if (groups === 0 || remaining <= 0) return false;
    const variance = (this.squares + PLANNED_WEIGHT * settings.groupVariance) / (groups + PLANNED_WEIGHT);
    const hopeful = this.mean + OPTIMISM * Math.sqrt(variance / groups);
    if (settings.goal === 'not-worse') {
      const share = this.heldOutGroups / groups;
      const mean = Math.min(0, hopeful);
      return this.notWorse.chanceToReach(1 / this.notWorseAlpha, remaining * share, mean, variance) < FUTILE_CHANCE;
    }
    const mean = Math.max(this.mean, Math.min(settings.minimumDetectableEffect, hopeful));
    return this.improvement.chanceToReach(1 / settings.alpha, remaining, mean, variance) < FUTILE_CHANCE;
  }
}
