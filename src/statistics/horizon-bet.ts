import { normalCdf } from './normal-distribution.ts';

/** Share of the largest admissible bet that is never exceeded, so that no single observation ruins the account. */
const LARGEST_SHARE = 0.98;
/** Observations that the planned variance is worth. */
const PLANNED_WEIGHT = 8;
const CEILING = 1e250;
const FLOOR = 1e-250;

/**
 * Account of a gambler who knows how many observations in [−1, 1] there will be, and bets each time what would carry the
 * capital to `target` by the last one: sqrt(2 ln(target/capital) / (remaining × variance)). Every bet is fixed before its
 * observation is seen, so the capital is a test martingale like that of BettingEProcess; at the horizon it is nearly as
 * powerful as a fixed-size test. Depends on the order of the observations.
 * Source: Voráček & Orabona, "STaR-Bets: sequential target-recalculating bets for tighter confidence intervals" (2025).
 */
export class HorizonBet {
  capital = 1;
  private readonly nullMean: number;
  private readonly horizon: number;
  private readonly plannedVariance: number;
  private readonly largestBet: number;
  private seen = 0;
  private squares = 0;

  constructor(nullMean: number, horizon: number, plannedVariance: number) {
    this.nullMean = nullMean;
    this.horizon = horizon;
    this.plannedVariance = plannedVariance;
    this.largestBet = LARGEST_SHARE / (1 + nullMean);
  }

  /** `target`: capital aimed at now; at or below the present one (or 0) nothing is bet. */
  add(observation: number, target: number): void {
    const surplus = observation - this.nullMean;
    const grown = this.capital * (1 + this.bet(target) * surplus);
    this.capital = grown > CEILING ? CEILING : grown < FLOOR ? 0 : grown;
    this.seen++;
    this.squares += surplus * surplus;
  }

  private get spread(): number {
    return (this.squares + PLANNED_WEIGHT * this.plannedVariance) / (this.seen + PLANNED_WEIGHT);
  }

  private bet(target: number): number {
    const remaining = this.horizon - this.seen;
    if (target <= this.capital || remaining <= 0) return 0;
    const missing = Math.log(target / this.capital);
    return Math.min(this.largestBet, Math.sqrt((2 * missing) / (remaining * this.spread)));
  }

  chanceToReach(target: number, remaining: number, mean: number, variance: number): number {
    if (target <= this.capital) return 1;
    const missing = Math.log(target / this.capital);
    if (remaining <= 0) return 0;
    const surplus = mean - this.nullMean;
    const bet = Math.min(this.largestBet, Math.sqrt((2 * missing) / (remaining * variance)));
    const growth = remaining * (bet * surplus - (bet * bet * (variance + surplus * surplus)) / 2);
    return normalCdf((growth - missing) / (bet * Math.sqrt(variance * remaining)));
  }
}
