import { closingBrace } from '../base/closing-brace.ts';
import { isRecord } from '../base/is-record.ts';
import { jsonValue } from '../base/json.ts';
import type { ToolCall } from '../trajectory/trajectory.ts';

/** A call found in free text. `form` says how it was written; `call.arguments` is empty where they could not be read. */
export interface WrittenCall {
  call: ToolCall;
  form: 'json' | 'tags' | 'fenced' | 'function' | 'action';
  raw: string;
}

const NAME_KEYS = ['name', 'tool', 'function', 'tool_name', 'function_name', 'action', 'recipient_name', 'command'];
const ARGUMENT_KEYS = ['arguments', 'args', 'parameters', 'params', 'input', 'action_input', 'kwargs', 'tool_input'];

/**
 * Calls that a text writes, in any common form, in text order: JSON objects with a name, tags, code blocks, `Action:` lines, function notation.
 * `names`: known tools; the forms without a mark of their own (tags, blocks, functions) are only read for these.
 */
export function writtenCalls(text: string, names: readonly string[]): WrittenCall[] {
  const found = [...jsonCalls(text, names), ...actionCalls(text)];
  if (found.length > 0) return found;
  return names.flatMap((name) => markedCalls(text, name));
}

function jsonCalls(text: string, names: readonly string[]): WrittenCall[] {
  return jsonObjects(text).flatMap(({ value, raw }) => {
    return callsWithin(value, names).map((call) => ({ call, form: 'json' as const, raw }));
  });
}

/** Calls among the members of a JSON value, outermost first; members of a call are not looked into. */
export function callsWithin(value: unknown, names: readonly string[]): ToolCall[] {
  if (Array.isArray(value)) return value.flatMap((item) => callsWithin(item, names));
  if (!isRecord(value)) return [];
  const call = callOf(value, names);
  return call === null ? Object.values(value).flatMap((member) => callsWithin(member, names)) : [call];
}

function callOf(value: Record<string, unknown>, names: readonly string[]): ToolCall | null {
  const wrapped = value.function;
  if (isRecord(wrapped)) return callOf(wrapped, names);
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === 'string');
  const argumentKey = ARGUMENT_KEYS.find((key) => value[key] !== undefined);
  const sole = Object.keys(value).length === 1 ? Object.keys(value)[0] : undefined;
  if (sole !== undefined && names.includes(sole) && isRecord(value[sole]))
    return { tool: sole, arguments: value[sole] };
  if (nameKey === undefined) return null;
  const tool = String(value[nameKey]);
  if (argumentKey === undefined) return names.includes(tool) ? { tool, arguments: without(value, nameKey) } : null;
  return { tool, arguments: argumentsOf(value[argumentKey]) };
}

function without(value: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key && name !== 'id' && name !== 'type'));
}

/** Arguments given as an object or as its JSON text; anything else stands under `value`. */
export function argumentsOf(given: unknown): Record<string, unknown> {
  if (isRecord(given)) return given;
  const value = typeof given === 'string' ? jsonValue(given) : undefined;
  if (isRecord(value)) return value;
  return given === undefined || given === null || given === '' ? {} : { value: given };
}

function actionCalls(text: string): WrittenCall[] {
  return [
    ...text.matchAll(/^[^\S\n]*Action:\s*([\w.-]+)\s*(?:\[([^\n]*)\]|\n[^\S\n]*Action Input:\s*([^\n]*))?/gim),
  ].map((match) => ({
    call: { tool: match[1] ?? '', arguments: argumentsOf(match[2] ?? match[3]) },
    form: 'action' as const,
    raw: match[0].trim(),
  }));
}

function markedCalls(text: string, name: string): WrittenCall[] {
  const tool = RegExp.escape(name);
  const forms: [WrittenCall['form'], RegExp][] = [
    ['tags', new RegExp(`<${tool}>([\\s\\S]*?)(?:</${tool}>|$)`, 'g')],
    ['tags', new RegExp(`<[\\w:-]+[^<>]*=\\s*["']${tool}["'][^<>]*>([\\s\\S]*?)(?:</[\\w:-]+>|$)`, 'g')],
    ['fenced', new RegExp(`\`\`\`${tool}\\n([\\s\\S]*?)(?:\`\`\`|$)`, 'g')],
    ['function', new RegExp(`(?<![\\w."'])${tool}\\s*\\(([^)\\n]*)\\)`, 'g')],
    ['json', new RegExp(`"${tool}"\\s*[,:]([^\\n]*)`, 'g')],
  ];
  for (const [form, pattern] of forms) {
    const calls = [...text.matchAll(pattern)].map((match) => ({
      call: { tool: name, arguments: form === 'function' ? functionArguments(match[1] ?? '') : argumentsOf(match[1]) },
      form,
      raw: match[0],
    }));
    if (calls.length > 0) return calls;
  }
  return [];
}

/** `a=1, b="x"` → {a: 1, b: 'x'}, and one object as it is; positional arguments stand under their number. */
function functionArguments(text: string): Record<string, unknown> {
  const whole = jsonValue(text.trim());
  if (isRecord(whole)) return whole;
  const parts = text.match(/(?:[^,"'[\]{}]|"[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\})+/g) ?? [];
  return Object.fromEntries(
    parts.map((part, index) => {
      const [, name, value] = /^\s*([A-Za-z_]\w*)\s*[=:]\s*([\s\S]*)$/.exec(part) ?? [];
      return name === undefined ? [String(index), literal(part)] : [name, literal(value ?? '')];
    }),
  );
}

function literal(text: string): unknown {
  const plain = text.trim();
  const value = jsonValue(plain.replace(/^'([\s\S]*)'$/, '"$1"'));
  return value === undefined ? plain : value;
}

/** Outermost objects of a text that are valid JSON, in order. */
export function jsonObjects(text: string): { value: Record<string, unknown>; raw: string }[] {
  const found: { value: Record<string, unknown>; raw: string }[] = [];
  for (let start = text.indexOf('{'); start !== -1; start = text.indexOf('{', start)) {
    const end = closingBrace(text, start);
    const raw = end === -1 ? '' : text.slice(start, end + 1);
    const value = jsonValue(raw);
    if (isRecord(value)) found.push({ value, raw });
    start = isRecord(value) ? end + 1 : start + 1;
  }
  return found;
}
