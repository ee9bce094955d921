import type { ReaderReply } from './critic-reader.ts';

/**
 * What a reader said, once it is known to be whole: not failed, not cut by length, no think block left open, the end mark in its place. `said`: the text after
 * the last think block, end mark included.
 */
export function wholeReply(
  reply: ReaderReply,
  endMark: string,
): { ok: true; said: string } | { ok: false; why: string } {
  if (reply.kind === 'failed') return { ok: false, why: reply.why };
  if (!reply.isComplete) return { ok: false, why: 'the reply was cut by length' };
  const opened = reply.text.match(/<think(ing)?>/gi)?.length ?? 0;
  const closed = reply.text.match(/<\/think(ing)?>/gi)?.length ?? 0;
  if (opened > closed) return { ok: false, why: 'the reply holds a think block that is never closed' };
  const said = (reply.text.split(/<\/think(?:ing)?>/i).at(-1) ?? '').trim();
  return said.replace(/[`*\s]+$/, '').endsWith(endMark)
    ? { ok: true, said }
    : { ok: false, why: `the reply does not end with "${endMark}"` };
}
