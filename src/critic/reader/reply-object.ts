import type { z } from 'zod';
import { jsonObjects } from '../written-calls.ts';
import type { ReaderReply } from './critic-reader.ts';

/** What a reply should hold: one JSON object of `schema` that has `key`, and after it `endMark`, the last line of a whole answer. */
export interface ReplyForm<Value> {
  key: string;
  schema: z.ZodType<Value>;
  endMark: string;
}

/** A reply that can be used, or why it cannot: nothing of a refused one ever is. */
export type Checked<Value> = { ok: true; value: Value } | { ok: false; why: string };

/**
 * The object that a reader's reply holds. Refused: a failed reply, one that was cut by length, a think block that is left open, no end mark (such a reply was cut,
 * whatever its finish reason says), no or several objects with the key after the last think block, another form.
 */
export function replyObject<Value>(reply: ReaderReply, { key, schema, endMark }: ReplyForm<Value>): Checked<Value> {
  if (reply.kind === 'failed') return { ok: false, why: reply.why };
  if (!reply.isComplete) return { ok: false, why: 'the reply was cut by length' };
  const opened = reply.text.match(/<think(ing)?>/gi)?.length ?? 0;
  const closed = reply.text.match(/<\/think(ing)?>/gi)?.length ?? 0;
  if (opened > closed) return { ok: false, why: 'the reply holds a think block that is never closed' };
  const said = (reply.text.split(/<\/think(?:ing)?>/i).at(-1) ?? '').trim();
  if (!said.replace(/[`*\s]+$/, '').endsWith(endMark))
    return { ok: false, why: `the reply does not end with "${endMark}"` };
  const objects = jsonObjects(said).filter(({ value }) => key in value);
  if (objects.length !== 1)
    return { ok: false, why: `the reply holds ${objects.length} JSON objects with "${key}", expected one` };
  const checked = schema.safeParse(objects[0]?.value);
  if (checked.success) return { ok: true, value: checked.data };
  const issues = checked.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || '(the object)'}: ${message}`);
  return { ok: false, why: `the JSON does not have the asked form: ${issues.join('; ')}` };
}
