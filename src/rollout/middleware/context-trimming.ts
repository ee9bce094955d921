import { shortenOlder } from '../shorten-messages.ts';
import { estimateTokens } from '../trim-history.ts';
import type { MiddlewareFactory } from './middleware.ts';

/**
 * Shortens what answered older assistant turns, oldest first, while the history is above its size. Exchanges stay where they are: the model sees what it did,
 * without the bulk of what came back. Dropping whole exchanges is the memory policy's.
 */
export const contextTrimming: MiddlewareFactory<'context-trimming'> = ({ aboveTokens, keepExchanges, characters }) => ({
  beforeModel: (history) => {
    const shortened = [...history];
    const isLong = () => estimateTokens(shortened) > aboveTokens;
    const saved = shortenOlder(shortened, { exchanges: keepExchanges, characters, isLong });
    if (saved === 0) return null;
    return { kind: 'use-history', history: shortened, detail: `${saved} characters of older results left out` };
  },
});
