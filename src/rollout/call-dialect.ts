import { errorMessage } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import type { CallDialect, HarnessTool } from '../harness/harness.ts';
import { soleTextArgument } from '../harness/parse-harness.ts';
import type { NativeCall } from '../model/model-backend.ts';
import type { ToolCall } from '../trajectory/trajectory.ts';
import { type BraceSegment, balancedObjects } from './balanced-objects.ts';
import { spacedJson } from './fill-template.ts';

export type DialectTool = Pick<HarnessTool, 'name' | 'parameters'>;

export interface ParsedCall {
  call: ToolCall;
  /** The text it was read from. */
  raw: string;
  /** Of a native call: what its result has to name. */
  id?: string;
}

/**
 * What a reply holds. `calls` in text order, arguments not yet checked against a schema. `unreadable` is the first thing that looks like a
 * call but is not one in this dialect. Both empty: the reply holds no call.
 */
export interface ParsedReply {
  calls: ParsedCall[];
  unreadable: { raw: string; problem: string } | null;
  /** The reply as it belongs into the history: a closing text that a stop string cut off is put back. */
  text: string;
  /** Native calls as they belong into the history, arguments always the JSON of an object; absent for calls in text. */
  native?: NativeCall[];
}

/** A call as the model should write it. Worked examples are rendered with it, so that they show what `parseCalls` reads. */
export function renderCall(dialect: CallDialect, call: ToolCall, tools: readonly DialectTool[]): string {
  const { open, close } = delimiters(dialect, call.tool);
  return `${open}${renderBody(dialect, call, tools)}${close}`;
}

function renderBody(dialect: CallDialect, call: ToolCall, tools: readonly DialectTool[]): string {
  if (dialect.body === 'call') return spacedJson({ name: call.tool, arguments: call.arguments });
  if (dialect.body === 'argument') {
    const tool = tools.find(({ name }) => name === call.tool);
    const value = tool === undefined ? undefined : call.arguments[soleTextArgument(tool) ?? ''];
    if (typeof value === 'string') return value;
  }
  return spacedJson(call.arguments);
}

function delimiters(dialect: CallDialect, tool: string): { open: string; close: string } {
  const fill = (text: string) => text.replaceAll('{tool}', tool);
  if (dialect.kind === 'json' || dialect.kind === 'native') return { open: '', close: '' };
  if (dialect.kind === 'tags') return { open: fill(dialect.open), close: fill(dialect.close) };
  return { open: `\`\`\`${fill(dialect.open)}\n`, close: '\n```' };
}

/**
 * Reads the calls of a reply. Only what the dialect says is a call; an attempt in any other form is `unreadable`, because that is evidence.
 * `wasStopped`: a stop string ended the reply, so that the closing text of the last call may be the one that was cut off. Never throws.
 */
export function parseCalls(
  dialect: CallDialect,
  text: string,
  tools: readonly DialectTool[],
  wasStopped = false,
): ParsedReply {
  // Of a native protocol the text holds no calls: see native-calls.ts.
  if (dialect.kind === 'native') return { calls: [], unreadable: null, text };
  return dialect.kind === 'json' ? parseJsonCalls(text, tools) : parseDelimitedCalls(dialect, text, tools, wasStopped);
}

function parseJsonCalls(text: string, tools: readonly DialectTool[]): ParsedReply {
  const reply: ParsedReply = { calls: [], unreadable: null, text };
  for (const segment of balancedObjects(text)) {
    const read = readCallObject(segment, tools);
    if (read === null) continue;
    if ('problem' in read) reply.unreadable ??= { raw: segment.text, problem: read.problem };
    else reply.calls.push({ call: read.call, raw: segment.text });
  }
  if (reply.calls.length === 0) reply.unreadable ??= functionNotation(text, tools);
  return reply;
}

type ReadCall = { call: ToolCall } | { problem: string };

/** Null for braces that have nothing of a call. */
function readCallObject(segment: BraceSegment, tools: readonly DialectTool[]): ReadCall | null {
  if (!segment.isClosed) {
    return hasCallWords(segment.text, tools) ? { problem: 'the JSON object of the call is not closed' } : null;
  }
  let value: unknown;
  try {
    value = JSON.parse(segment.text);
  } catch (error) {
    return hasCallWords(segment.text, tools) ? { problem: `the call is not valid JSON: ${errorMessage(error)}` } : null;
  }
  const read = callOf(value);
  return 'call' in read || hasCallWords(segment.text, tools) ? read : null;
}

function callOf(value: unknown): ReadCall {
  if (!isRecord(value)) return { problem: 'the call is not a JSON object' };
  if (typeof value.name !== 'string') return { problem: 'the call has no "name" with the name of a tool' };
  if (!isRecord(value.arguments)) return { problem: 'the call has no "arguments" that are a JSON object' };
  return { call: { tool: value.name, arguments: value.arguments } };
}

/** Whether a `{…}` mentions "name", a tool, or a tool's argument in the way a call would. */
function hasCallWords(text: string, tools: readonly DialectTool[]): boolean {
  if (/["']?\bname["']?\s*:/.test(text)) return true;
  return tools.some(({ name, parameters }) => {
    if (new RegExp(`["']${RegExp.escape(name)}["']`).test(text)) return true;
    const names = isRecord(parameters.properties) ? Object.keys(parameters.properties) : [];
    return names.some((argument) => new RegExp(`["']${RegExp.escape(argument)}["']\\s*:`).test(text));
  });
}

/** `tool(…` or `tool{…` outside the dialect. */
function functionNotation(text: string, tools: readonly DialectTool[]): ParsedReply['unreadable'] {
  for (const { name } of tools) {
    const match = new RegExp(`(?<![\\w.])${RegExp.escape(name)}[({][^\\n]*`).exec(text);
    if (match !== null)
      return { raw: match[0], problem: `"${name}" is followed by arguments, but not in the form of a call` };
  }
  return null;
}

function parseDelimitedCalls(
  dialect: CallDialect,
  text: string,
  tools: readonly DialectTool[],
  wasStopped: boolean,
): ParsedReply {
  const reply: ParsedReply = { calls: [], unreadable: null, text };
  for (const { raw, body, tool, close } of delimitedBodies(dialect, text, tools)) {
    const isCutOff = close !== '' && wasStopped;
    if (isCutOff) reply.text = text + close;
    const isClosed = close === '' || isCutOff;
    const read = isClosed ? readBody(dialect, body, tool, tools) : { problem: 'the call is opened but not closed' };
    if ('problem' in read) reply.unreadable ??= { raw, problem: read.problem };
    else reply.calls.push({ call: read.call, raw });
  }
  if (reply.calls.length === 0) reply.unreadable ??= undelimitedAttempt(dialect, text, tools);
  return reply;
}

interface DelimitedBody {
  start: number;
  raw: string;
  body: string;
  /** The tool that the opening text names; null when it names none. */
  tool: string | null;
  /** The closing text that is missing; empty when it is there. */
  close: string;
}

function delimitedBodies(dialect: CallDialect, text: string, tools: readonly DialectTool[]): DelimitedBody[] {
  const names = dialect.open.includes('{tool}') ? tools.map(({ name }) => name) : [null];
  const found = names.flatMap((tool) => {
    const { open, close } = delimiters(dialect, tool ?? '');
    // A model may leave the line break before the closing fence out.
    const end = close.trimStart();
    const bodies: DelimitedBody[] = [];
    for (let start = text.indexOf(open); start !== -1; ) {
      const from = start + open.length;
      const at = text.indexOf(end, from);
      const to = at === -1 ? text.length : at;
      const raw = text.slice(start, at === -1 ? to : at + end.length);
      bodies.push({ start, raw, body: text.slice(from, to), tool, close: at === -1 ? close : '' });
      start = text.indexOf(open, start + raw.length);
    }
    return bodies;
  });
  return found.sort((a, b) => a.start - b.start);
}

function readBody(dialect: CallDialect, body: string, named: string | null, tools: readonly DialectTool[]): ReadCall {
  if (dialect.body === 'call') return readJsonBody(body, callOf);
  const tool = named ?? (tools.length === 1 ? tools[0]?.name : undefined);
  if (tool === undefined) return { problem: `the call does not say which of ${tools.length} tools it means` };
  if (dialect.body === 'arguments') {
    return readJsonBody(body, (value) =>
      isRecord(value) ? { call: { tool, arguments: value } } : { problem: 'the arguments are not a JSON object' },
    );
  }
  const definition = tools.find(({ name }) => name === tool);
  const argument = definition === undefined ? null : soleTextArgument(definition);
  if (argument === null) return { problem: `"${tool}" does not take exactly one text argument` };
  if (body.trim() === '') return { problem: 'the call is empty' };
  return { call: { tool, arguments: { [argument]: body.trim() } } };
}

function readJsonBody(body: string, read: (value: unknown) => ReadCall): ReadCall {
  try {
    return read(JSON.parse(body));
  } catch (error) {
    return { problem: `the call is not valid JSON: ${errorMessage(error)}` };
  }
}

/** A call without its opening text: the closing text alone, a bare call object, or function notation. */
function undelimitedAttempt(
  dialect: CallDialect,
  text: string,
  tools: readonly DialectTool[],
): ParsedReply['unreadable'] {
  const { open, close } = delimiters(dialect, tools[0]?.name ?? '');
  const at = dialect.kind === 'tags' ? text.indexOf(close) : -1;
  if (at !== -1) return { raw: text.slice(0, at + close.length), problem: `"${close}" stands there without "${open}"` };
  const bare = balancedObjects(text).find((segment) => {
    const read = readCallObject(segment, tools);
    return read !== null;
  });
  if (bare !== undefined)
    return { raw: bare.text, problem: `the call does not stand between "${open}" and "${close}"` };
  return functionNotation(text, tools);
}
