import type { ChatMessage } from '../../model/model-backend.ts';
import type { EventLog } from '../event-log.ts';
import { shortenMessage, shortenOlder } from '../shorten-messages.ts';
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
    const less = largest === undefined ? 0 : shortenMessage(history, largest.index, KEPT_CHARACTERS);
    if (less === 0) break;
    saved += less;
  }
  report(saved, 'of the largest results', turn, log);
}

/** Shortens what was shown more than `turns` assistant turns ago. */
export function shortenStale(history: ChatMessage[], turns: number, turn: number, log: EventLog): void {
  const saved = shortenOlder(history, { exchanges: turns, characters: KEPT_CHARACTERS });
  report(saved, `shown more than ${turns} turns ago`, turn, log);
}

function report(saved: number, what: string, turn: number, log: EventLog): void {
  if (saved > 0) log.record({ type: 'memory-acted', turn, action: 'shortened', detail: `${saved} characters ${what}` });
}
