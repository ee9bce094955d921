import type { TokenUsage } from './model-backend.ts';

/** What a chat template may add on its own: marks of turns and a default system prompt. */
const TEMPLATE_TOKENS = 48;

/**
 * Upper estimate for a call whose tokens nobody counted, from the texts that went each way: no tokeniser makes more tokens than bytes. With 0 instead
 * such calls would cost nothing, and a token budget would never stop them.
 */
export function estimatedUsage(sent: string, received: string): TokenUsage {
  return {
    promptTokens: Buffer.byteLength(sent) + TEMPLATE_TOKENS,
    completionTokens: Buffer.byteLength(received),
    isEstimated: true,
  };
}
