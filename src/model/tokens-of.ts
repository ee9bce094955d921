import type { TokenUsage } from './model-backend.ts';

/** Tokens sent and generated together. */
export function tokensOf({ promptTokens, completionTokens }: TokenUsage): number {
  return promptTokens + completionTokens;
}

/** Adds `used` to `sum`, which is an estimate as soon as one part is. */
export function addUsage(sum: TokenUsage, used: TokenUsage): void {
  sum.promptTokens += used.promptTokens;
  sum.completionTokens += used.completionTokens;
  if (used.isEstimated === true) sum.isEstimated = true;
}

/** A new sum; of no usages it is 0. */
export function sumOfUsages(usages: Iterable<TokenUsage>): TokenUsage {
  const sum: TokenUsage = { promptTokens: 0, completionTokens: 0 };
  for (const usage of usages) addUsage(sum, usage);
  return sum;
}

/** Tokens of several usages together; absent ones count nothing. */
export function totalTokens(usages: Iterable<TokenUsage | undefined>): number {
  let total = 0;
  for (const usage of usages) if (usage !== undefined) total += tokensOf(usage);
  return total;
}
