import type { TokenUsage } from './model-backend.ts';

/** Tokens sent and generated together. */
export function tokensOf({ promptTokens, completionTokens }: TokenUsage): number {
  return promptTokens + completionTokens;
}

/** The same over several usages; absent ones count nothing. */
export function totalTokens(usages: Iterable<TokenUsage | undefined>): number {
  let total = 0;
  for (const usage of usages) if (usage !== undefined) total += tokensOf(usage);
  return total;
}
