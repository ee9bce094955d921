import type { ChatMessage } from '../../model/model-backend.ts';
import type { EventLog } from '../event-log.ts';
import { headAndTail } from '../head-and-tail.ts';
import { estimateTokens } from '../trim-history.ts';

const KEPT_CHARACTERS = 120;

/** Shortens the largest results of all but the latest exchange, in place, until the history fits or nothing is left to shorten. */
export function shortenLargest(history: ChatMessage[], limitTokens: number, turn: number, log: EventLog): void {
  const latest = history.findLastIndex(({ role }) => role === 'assistant');
  let saved = 0;
  while (estimateTokens(history) > limitTokens) {
    const older = history.slice(0, Math.max(0, latest)).map((message, index) => ({ message, index }));
    const [largest] = older
      .filter(({ message }) => message.role !== 'assistant')
      .sort((a, b) => b.message.content.length - a.message.content.length);
    const less = largest === undefined ? 0 : shorten(history, largest.index);
    if (less === 0) break;
    saved += less;
  }
  report(saved, 'of the largest results', turn, log);
}

/** Shortens what was shown more than `turns` assistant turns ago. */
export function shortenStale(history: ChatMessage[], turns: number, turn: number, log: EventLog): void {
  const starts = history.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const until = starts.at(-turns) ?? 0;
  let saved = 0;
  for (let index = 0; index < until; index++) {
    if (history[index]?.role !== 'assistant') saved += shorten(history, index);
  }
  report(saved, `shown more than ${turns} turns ago`, turn, log);
}

function shorten(history: ChatMessage[], index: number): number {
  const message = history[index];
  if (message === undefined) return 0;
  const content = headAndTail(message.content, KEPT_CHARACTERS, 0);
  history[index] = { ...message, content };
  return message.content.length - content.length;
}

function report(saved: number, what: string, turn: number, log: EventLog): void {
  if (saved > 0) log.record({ type: 'memory-acted', turn, action: 'shortened', detail: `${saved} characters ${what}` });
}
