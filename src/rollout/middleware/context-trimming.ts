import { headAndTail } from '../head-and-tail.ts';
import { estimateTokens } from '../trim-history.ts';
import type { MiddlewareFactory } from './middleware.ts';

/**
 * Shortens what answered older assistant turns, oldest first, while the history is above its size. Exchanges stay where they are: the model sees what it did,
 * without the bulk of what came back. Dropping whole exchanges is the memory policy's.
 */
export const contextTrimming: MiddlewareFactory<'context-trimming'> = ({ aboveTokens, keepExchanges, characters }) => ({
  beforeModel: (history) => {
    if (estimateTokens(history) <= aboveTokens) return null;
    const starts = history.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
    const oldUntil = starts.at(-keepExchanges) ?? 0;
    const shortened = [...history];
    let saved = 0;
    for (let index = 0; index < oldUntil && estimateTokens(shortened) > aboveTokens; index++) {
      const message = shortened[index];
      if (message === undefined || message.role === 'assistant') continue;
      const content = headAndTail(message.content, characters, 0);
      saved += message.content.length - content.length;
      shortened[index] = { ...message, content };
    }
    if (saved === 0) return null;
    return { kind: 'use-history', history: shortened, detail: `${saved} characters of older results left out` };
  },
});
