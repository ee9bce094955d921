import { BettingEProcess } from '../statistics/betting-e-process.ts';
import { HELD_OUT_ALPHA, NOT_WORSE_ALPHA } from './plan-gate.ts';

/** `improved`, `not-worse`: shown. `futile`: what is left of the budget cannot plausibly show it. `open`: go on. */
export type SequentialState = 'improved' | 'not-worse' | 'futile' | 'open';

export interface SequentialSettings {
  alpha: number;
  /** Margin tested: on what held-out behaviour adds to the score, or on the whole where "not worse" is enough. */
  margin: number;
  /** Margin asked for; a held-out stratum that is shown to lose, by more than this, stops an acceptance. */
  marginAsked: number;
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
  private heldOutSum = 0;
  private heldOutGroups = 0;
  private readonly heldOutLoss: BettingEProcess;

  constructor(settings: SequentialSettings) {
    this.settings = settings;
    this.notWorseAlpha = settings.goal === 'improvement' ? HELD_OUT_ALPHA : Math.min(NOT_WORSE_ALPHA, settings.alpha);
    const horizon = { observations: settings.groups, variance: settings.groupVariance };
    this.improvement = new BettingEProcess(0, { ...horizon, target: 1 / settings.alpha });
    this.notWorse = new BettingEProcess(-settings.margin, { ...horizon, target: 1 / this.notWorseAlpha });
    this.heldOutLoss = new BettingEProcess(0, { ...horizon, target: 1 / HELD_OUT_ALPHA });
  }

  /**
   * Mean differences of one group in [−1, 1]; NaN for a stratum with no scored pair in it. `heldOutShare`: share of the group's
   * pairs that are held out, in [0, 1].
   */
  add(whole: number, targeted: number, heldOut: number, heldOutShare: number): void {
    this.groups++;
    this.sum += whole;
    this.squares += whole * whole;
    this.improvement.add(whole);
    if (!Number.isNaN(targeted)) {
      this.targetedSum += targeted;
      this.targetedGroups++;
    }
    if (this.settings.goal === 'not-worse') {
      this.notWorse.add(whole);
      return;
    }
    // What held-out behaviour adds to the whole score: a stratum of a few groups can neither be proven harmless by itself nor hurt much.
    this.notWorse.add(heldOutShare === 0 ? 0 : heldOut * heldOutShare);
    if (heldOutShare === 0) return;
    this.heldOutLoss.add(-heldOut);
    this.heldOutSum += heldOut;
    this.heldOutGroups++;
  }

  get mean(): number {
    return this.groups === 0 ? 0 : this.sum / this.groups;
  }

  get improvementShown(): boolean {
    return this.improvement.peak >= 1 / this.settings.alpha && this.sum > 0;
  }

  /** Shown to cost the whole score less than the margin. */
  get notWorseShown(): boolean {
    return this.notWorse.peak >= 1 / this.notWorseAlpha;
  }

  /** Held-out behaviour is shown to have lost, and seen to have lost more than the margin. */
  get heldOutInferior(): boolean {
    return (
      this.heldOutLoss.peak >= 1 / HELD_OUT_ALPHA && this.heldOutSum / this.heldOutGroups < -this.settings.marginAsked
    );
  }

  /** The targeted stratum must not have lost; only the whole carries the error guarantee. */
  get targetedHolds(): boolean {
    return this.targetedGroups === 0 || this.targetedSum > 0;
  }

  private get guardsHold(): boolean {
    if (this.settings.goal === 'not-worse') return true;
    return this.notWorseShown && this.targetedHolds && !this.heldOutInferior;
  }

  state(): SequentialState {
    if (this.improvementShown && this.guardsHold) return 'improved';
    if (this.settings.goal === 'not-worse' && this.notWorseShown) return 'not-worse';
    return this.futile() ? 'futile' : 'open';
  }

  private futile(): boolean {
    const { settings, groups } = this;
    const remaining = settings.groups - groups;
    if (groups === 0 || remaining <= 0) return false;
    const variance = (this.squares + PLANNED_WEIGHT * settings.groupVariance) / (groups + PLANNED_WEIGHT);
    const hopeful = this.mean + OPTIMISM * Math.sqrt(variance / groups);
    const mean = Math.max(this.mean, Math.min(settings.minimumDetectableEffect, hopeful));
    const isHopeless = this.improvement.chanceToReach(1 / settings.alpha, remaining, mean, variance) < FUTILE_CHANCE;
    if (settings.goal === 'improvement' || !isHopeless) return isHopeless;
    const held = Math.min(0, hopeful);
    return this.notWorse.chanceToReach(1 / this.notWorseAlpha, remaining, held, variance) < FUTILE_CHANCE;
  }
}
