import { normalCdf } from './normal-distribution.ts';

/**
 * Fractions of the largest admissible bet, mixed with equal weight. Fixed before any data, so that the capital after n
 * observations depends on what was seen and not on its order.
 */
export const BET_FRACTIONS: readonly number[] = [0.08, 0.16, 0.3, 0.5, 0.72, 0.95];

/** Capital is held inside this range: a clamp from above only loses evidence, and far below it is lost anyway. */
const CAPITAL_CEILING = 1e250;
const CAPITAL_FLOOR = 1e-250;

/**
 * Capital of a gambler who bets that bounded observations in [−1, 1] have a mean above `nullMean` (in (−1, 1)): starts
 * at 1, and under every distribution whose conditional means are ≤ nullMean the chance that it ever reaches 1/α is at
 * most α, at whatever moment one looks or stops (Ville). A finite mixture of constant-fraction bets.
 * Source: Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting", JRSS-B 86 (2024), §4.
 */
export class BettingEProcess {
  readonly nullMean: number;
  /** Largest capital so far; may be compared with 1/α at any time. */
  peak = 1;
  private readonly capitals: Float64Array;
  private readonly bets: Float64Array;

  constructor(nullMean: number, fractions: readonly number[] = BET_FRACTIONS) {
    this.nullMean = nullMean;
    this.capitals = new Float64Array(fractions.length).fill(1 / fractions.length);
    // A bet below 1 / (1 + nullMean) keeps the capital positive for the worst observation, −1.
    this.bets = Float64Array.from(fractions, (fraction) => fraction / (1 + nullMean));
  }

  /** `observation` in [−1, 1]. Returns the capital now. */
  add(observation: number): number {
    const surplus = observation - this.nullMean;
    let total = 0;
    for (let index = 0; index < this.bets.length; index++) {
      let capital = (this.capitals[index] as number) * (1 + (this.bets[index] as number) * surplus);
      if (capital > CAPITAL_CEILING) capital = CAPITAL_CEILING;
      else if (capital < CAPITAL_FLOOR) capital = 0;
      this.capitals[index] = capital;
      total += capital;
    }
    if (total > this.peak) this.peak = total;
    return total;
  }

  /** Capital now: an e-value at any stopping time. */
  get capital(): number {
    let total = 0;
    for (const capital of this.capitals) total += capital;
    return total;
  }

  /**
   * Chance in [0, 1] that the capital stands at or above `target` after `remaining` more observations of mean `mean` and
   * variance `variance`: normal approximation for the best single bet. A forecast for planning and for futility, never
   * evidence.
   */
  chanceToReach(target: number, remaining: number, mean: number, variance: number): number {
    let best = this.peak >= target ? 1 : 0;
    const surplus = mean - this.nullMean;
    for (let index = 0; index < this.bets.length && best < 1; index++) {
      const bet = this.bets[index] as number;
      const missing = Math.log(target / (this.capitals[index] as number));
      const growth = remaining * (bet * surplus - (bet * bet * (variance + surplus * surplus)) / 2);
      const spread = bet * Math.sqrt(variance * remaining);
      const chance = spread === 0 ? (growth >= missing ? 1 : 0) : normalCdf((growth - missing) / spread);
      if (chance > best) best = chance;
    }
    return best;
  }
}
