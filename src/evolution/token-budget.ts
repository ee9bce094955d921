import { CoHarnessError } from '../base/errors.ts';
import type { TokenUsage } from '../model/model-backend.ts';
import { tokensOf, totalTokens } from '../model/tokens-of.ts';

interface Reservation {
  /** What is paid for: one says little of another kind's size. A question to a reader holds many rollouts, and one φ shows what another does not. */
  kind: string;
  /** Tokens at most, before any of its kind has ended. */
  estimate: number;
}

/**
 * Hard stop for the tokens of a run (prompt + generated, all seeds). Rollouts and questions are admitted while what was spent and what those in
 * flight may take, the most that one of their kind has taken or, before one has ended, their estimate, leaves room for one more; where nothing is in flight one is
 * admitted as long as anything is left. So the budget is overshot by about one of them, and a cautious reservation never blocks what can be paid.
 */
export class TokenBudget {
  spent: number;
  private readonly limit: number | null;
  private readonly largest = new Map<string, number>();
  private readonly inFlight = new Set<Reservation>();
  private waiting: (() => void)[] = [];

  /** `limit` in tokens, null = none; `spent` by earlier processes of the same run. */
  constructor(limit: number | null, spent: number) {
    this.limit = limit;
    this.spent = spent;
  }

  /** Does `work` once it may be paid for. Rejects with CoHarnessError `budget-spent` when nothing is left, and with what `work` rejects. */
  async pay<T extends { usage: TokenUsage; verifierUsage?: TokenUsage }>(
    kind: string,
    estimate: number,
    work: () => Promise<T>,
  ): Promise<T> {
    const reservation = { kind, estimate };
    while (!this.isAffordable(reservation)) {
      if (this.inFlight.size === 0) throw this.isSpent();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.inFlight.add(reservation);
    try {
      const finished = await work();
      const tokens = totalTokens([finished.usage, finished.verifierUsage]);
      this.spent += tokens;
      this.largest.set(kind, Math.max(this.largest.get(kind) ?? 0, tokens));
      return finished;
    } finally {
      this.inFlight.delete(reservation);
      for (const wake of this.waiting.splice(0)) wake();
    }
  }

  /** Counts what something else than a rollout has used. */
  add(usage: TokenUsage): void {
    this.spent += tokensOf(usage);
  }

  private isAffordable(next: Reservation): boolean {
    if (this.limit === null) return true;
    if (this.inFlight.size === 0) return this.spent < this.limit;
    const reserved = [...this.inFlight, next].map(({ kind, estimate }) => this.largest.get(kind) ?? estimate);
    return reserved.reduce((sum, tokens) => sum + tokens, this.spent) <= this.limit;
  }

  private isSpent(): CoHarnessError {
    return new CoHarnessError(
      'budget-spent',
      `${this.spent} of ${this.limit} tokens are spent. Everything finished is kept; the same command with a larger --tokens (budget.tokens) continues.`,
      { details: { spent: this.spent, limit: this.limit } },
    );
  }
}
