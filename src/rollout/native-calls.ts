import { isRecord } from '../base/is-record.ts';
import { jsonValue } from '../base/json.ts';
import type { CallDialect, HarnessTool } from '../harness/harness.ts';
import type { ChatMessage, NativeCall, NativeTool } from '../model/model-backend.ts';
import type { ToolCall } from '../trajectory/trajectory.ts';
import type { ParsedReply } from './call-dialect.ts';

/** What a server is offered beside the messages; nothing where calls are text. */
export function nativeOffer({ kind }: CallDialect, tools: readonly HarnessTool[]): { tools?: NativeTool[] } {
  if (kind !== 'native' || tools.length === 0) return {};
  return { tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })) };
}

/**
 * A reply of the native protocol. Arguments that are no JSON object are an unreadable call, and `{}` goes into the history in their place: servers refuse every
 * later request over one bad turn (vllm-project/vllm#43995). No arguments at all are an empty object.
 */
export function readNativeCalls(text: string, calls: readonly NativeCall[]): ParsedReply {
  const reply: ParsedReply = { calls: [], unreadable: null, text, native: [] };
  for (const { id, name, arguments: given } of calls) {
    const read = argumentsOf(given);
    reply.native?.push({ id, name, arguments: read === null ? '{}' : JSON.stringify(read) });
    if (read !== null) reply.calls.push({ call: { tool: name, arguments: read }, raw: given, id });
    else reply.unreadable ??= { raw: given, problem: `the arguments of ${name} are not the JSON of an object` };
  }
  return reply;
}

function argumentsOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  const value = jsonValue(text);
  return isRecord(value) ? { ...value } : null;
}

/** One tool turn for every call, in call order; `results` are those of the readable calls, then what answers the others. */
export function nativeResults({ calls, native }: ParsedReply, results: readonly string[]): ChatMessage[] {
  const shown = new Map(calls.map(({ id }, index) => [id, results[index] ?? '']));
  return (native ?? []).map(({ id }) => ({ role: 'tool', content: shown.get(id) ?? results.at(-1) ?? '', callId: id }));
}

/** A call of a worked example and its result, which the protocol never leaves out. */
export function nativeExample({ tool, arguments: given }: ToolCall, id: string, result: string): ChatMessage[] {
  return [
    { role: 'assistant', content: '', calls: [{ id, name: tool, arguments: JSON.stringify(given) }] },
    { role: 'tool', content: result, callId: id },
  ];
}
