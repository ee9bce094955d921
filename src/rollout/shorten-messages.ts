import type { ChatMessage } from '../model/model-backend.ts';
import { headAndTail } from './head-and-tail.ts';

/** Cuts one message down to its first `characters`, in place. Returns the characters saved. */
export function shortenMessage(history: ChatMessage[], index: number, characters: number): number {
  const message = history[index];
  if (message === undefined) return 0;
  const content = headAndTail(message.content, characters, 0);
  history[index] = { ...message, content };
  return message.content.length - content.length;
}

/**
 * Cuts down, in place and oldest first, what answered all but the latest `exchanges` assistant turns, as long as `isLong`. Returns the
 * characters saved.
 */
export function shortenOlder(
  history: ChatMessage[],
  { exchanges, characters, isLong = () => true }: { exchanges: number; characters: number; isLong?: () => boolean },
): number {
  const starts = history.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const until = starts.at(-exchanges) ?? 0;
  let saved = 0;
  for (let index = 0; index < until && isLong(); index++) {
    if (history[index]?.role !== 'assistant') saved += shortenMessage(history, index, characters);
  }
  return saved;
}
