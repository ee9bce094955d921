import { HorizonBet } from './horizon-bet.ts';
import { normalCdf } from './normal-distribution.ts';

/** What is known before the first observation about how long the game may last. */
export interface BettingHorizon {
  /** Most observations there will be. */
  observations: number;
  /** Expected variance of one; a wrong value costs power, never validity. */
  variance: number;
  /** Capital aimed at, 1/α. */
  target: number;
}

/** Fractions of the largest admissible bet, mixed with equal weight. */
const OPEN_FRACTIONS: readonly number[] = [0.08, 0.16, 0.3, 0.5, 0.72, 0.95];
/** With a horizon, most capital goes to the bet that knows it; the rest is there for large effects, which show early. */
const EARLY_FRACTIONS: readonly number[] = [0.4, 0.95];
const HORIZON_WEIGHT = 0.7;

/** Capital is held inside this range: a clamp from above only loses evidence, and far below it is lost anyway. */
const CAPITAL_CEILING = 1e250;
const CAPITAL_FLOOR = 1e-250;

/**
 * Capital of a gambler who bets that bounded observations in [−1, 1] have a mean above `nullMean` (in (−1, 1)): starts
 * at 1, and under every distribution whose conditional means are ≤ nullMean the chance that it ever reaches 1/α is at
 * most α, at whatever moment one looks or stops (Ville). Without a horizon it is a mixture of constant-fraction bets, and
 * the order of the observations does not matter; with one, a HorizonBet joins and it does.
 * Source: Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting", JRSS-B 86 (2024), §4.
 */
export class BettingEProcess {
  readonly nullMean: number;
  /** Largest capital so far; may be compared with 1/α at any time. */
  peak = 1;
  private readonly capitals: Float64Array;
  private readonly bets: Float64Array;
  private readonly horizon: HorizonBet | undefined;
  private readonly target: number;

  constructor(nullMean: number, horizon?: BettingHorizon) {
    this.nullMean = nullMean;
    const fractions = horizon === undefined ? OPEN_FRACTIONS : EARLY_FRACTIONS;
    const weight = horizon === undefined ? 1 : 1 - HORIZON_WEIGHT;
    this.capitals = new Float64Array(fractions.length).fill(weight / fractions.length);
    // A bet below 1 / (1 + nullMean) keeps the capital positive for the worst observation, −1.
    this.bets = Float64Array.from(fractions, (fraction) => fraction / (1 + nullMean));
    this.target = horizon?.target ?? Number.POSITIVE_INFINITY;
    this.horizon = horizon && new HorizonBet(nullMean, horizon.observations, horizon.variance);
  }

  /** `observation` in [−1, 1]. Returns the capital now. */
  add(observation: number): number {
    const surplus = observation - this.nullMean;
    this.horizon?.add(observation, (this.target - this.mixture) / HORIZON_WEIGHT);
    for (let index = 0; index < this.bets.length; index++) {
      const capital = (this.capitals[index] as number) * (1 + (this.bets[index] as number) * surplus);
      this.capitals[index] = capital > CAPITAL_CEILING ? CAPITAL_CEILING : capital < CAPITAL_FLOOR ? 0 : capital;
    }
    const total = this.capital;
    if (total > this.peak) this.peak = total;
    return total;
  }

  /** Capital now: an e-value at any stopping time. */
  get capital(): number {
    return this.mixture + (this.horizon === undefined ? 0 : HORIZON_WEIGHT * this.horizon.capital);
  }

  private get mixture(): number {
    let total = 0;
    for (let index = 0; index < this.capitals.length; index++) total += this.capitals[index] as number;
    return total;
  }

  /**
   * Chance in [0, 1] that the capital stands at or above `target` after `remaining` more observations of mean `mean` and
   * variance `variance`: normal approximation for the best single account. A forecast for planning and for futility, never
   * evidence.
   */
  chanceToReach(target: number, remaining: number, mean: number, variance: number): number {
    if (this.peak >= target) return 1;
    let best = this.horizon?.chanceToReach((target - this.mixture) / HORIZON_WEIGHT, remaining, mean, variance) ?? 0;
    const surplus = mean - this.nullMean;
    for (let index = 0; index < this.bets.length; index++) {
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
