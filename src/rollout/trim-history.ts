import type { ChatMessage } from '../model/model-backend.ts';

/** Tokens of messages, estimated: 4 characters a token and 4 tokens of chat template a message. */
export function estimateTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + Math.ceil(content.length / 4) + 4, 0);
}

/**
 * Drops the oldest exchanges (an assistant turn and what answers it) from `history`, in place, until it fits `limitTokens`. The latest exchange
 * always stays. Returns the number of messages dropped.
 */
export function trimHistory(history: ChatMessage[], limitTokens: number): number {
  let dropped = 0;
  while (estimateTokens(history) > limitTokens) {
    const next = history.findIndex(({ role }, index) => index > 0 && role === 'assistant');
    if (next === -1) return dropped;
    history.splice(0, next);
    dropped += next;
  }
  return dropped;
}
