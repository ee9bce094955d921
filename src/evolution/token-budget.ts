import { CoHarnessError } from '../base/errors.ts';
import type { TokenUsage } from '../model/model-backend.ts';
import { tokensOf, totalTokens } from '../model/tokens-of.ts';

/**
 * Hard stop for the tokens of a run (prompt + generated, all seeds). A rollout is admitted while what was spent, and what those in
 * flight may take, leaves room for one more of the largest size seen; where nothing is in flight it is admitted as long as anything is left. So
 * the budget is overshot by one rollout at most, and a cautious reservation never blocks what can be paid.
 */
export class TokenBudget {
  spent: number;
  private readonly limit: number | null;
  private largest = 0;
  private inFlight = 0;
  private waiting: (() => void)[] = [];

  /** `limit` in tokens, null = none; `spent` by earlier processes of the same run. */
  constructor(limit: number | null, spent: number) {
    this.limit = limit;
    this.spent = spent;
  }

  /** Runs `rollout` once it may be paid for. Rejects with CoHarnessError `budget-spent` when nothing is left, and with what `rollout` rejects. */
  async pay<T extends { usage: TokenUsage; verifierUsage?: TokenUsage }>(
    estimate: number,
    rollout: () => Promise<T>,
  ): Promise<T> {
    this.largest = Math.max(this.largest, estimate);
    while (!this.isAffordable()) {
      if (this.inFlight === 0) throw this.isSpent();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.inFlight++;
    try {
      const finished = await rollout();
      const tokens = totalTokens([finished.usage, finished.verifierUsage]);
      this.spent += tokens;
      this.largest = Math.max(this.largest, tokens);
      return finished;
    } finally {
      this.inFlight--;
      for (const wake of this.waiting.splice(0)) wake();
    }
  }

  /** Counts what something else than a rollout has used. */
  add(usage: TokenUsage): void {
    this.spent += tokensOf(usage);
  }

  private isAffordable(): boolean {
    if (this.limit === null) return true;
    if (this.inFlight === 0) return this.spent < this.limit;
    return this.spent + (this.inFlight + 1) * this.largest <= this.limit;
  }

  private isSpent(): CoHarnessError {
    return new CoHarnessError(
      'budget-spent',
      `${this.spent} of ${this.limit} tokens are spent. Everything finished is kept; the same command with a larger --tokens (budget.tokens) continues.`,
      { details: { spent: this.spent, limit: this.limit } },
    );
  }
}
