import { z } from 'zod';
import { isRecord } from '../../base/is-record.ts';
import type { ToolCall } from '../../trajectory/trajectory.ts';
import { argumentsOf, writtenCalls } from '../written-calls.ts';
import type { CaseStep, StepRole } from './case.ts';

const ROLES: Readonly<Record<string, StepRole>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  customer: 'user',
  assistant: 'assistant',
  agent: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  bot: 'assistant',
  llm: 'assistant',
  tool: 'tool',
  function: 'tool',
  observation: 'tool',
  environment: 'tool',
  env: 'tool',
  tool_result: 'tool',
  tool_response: 'tool',
  ipython: 'tool',
};

/** One step of a conversation in any of the usual spellings. */
export const stepSchema = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_calls: z.array(z.looseObject({})).nullish(),
  function_call: z.looseObject({}).nullish(),
});

/** Steps of one run in order: what the system says once the conversation has begun is the loop speaking, a note. */
export function readSteps(
  steps: readonly z.output<typeof stepSchema>[],
  place: string,
  names: readonly string[],
): CaseStep[] {
  const begun = steps.findIndex(({ role }) => ROLES[role.toLowerCase()] !== 'system');
  return steps.map((step, index) => {
    const read = readStep(step, `${place}/${index}`, names);
    const isLoop = begun !== -1 && index > begun && read.role === 'system';
    return isLoop ? { ...read, role: 'note', content: `[${step.role}] ${read.content}` } : read;
  });
}

/** A step as it stands in a file → a {@link CaseStep}. `names`: tools whose calls are recognised in text. */
function readStep(step: z.output<typeof stepSchema>, event: string, names: readonly string[]): CaseStep {
  const role = ROLES[step.role.toLowerCase()] ?? 'note';
  const text = contentText(step.content);
  const given = [
    ...(step.tool_calls ?? []),
    ...(step.function_call ? [step.function_call] : []),
    ...contentCalls(step.content),
  ];
  const native = given.flatMap((call) => nativeCall(call) ?? []);
  const written =
    role === 'assistant' && native.length === 0
      ? writtenCalls(text.slice(0, 20_000), names).map(({ call }) => call)
      : [];
  const content = role === 'note' ? `[${step.role}] ${text}` : text;
  return { event, role, content, calls: [...native, ...written], hasNativeCalls: native.length > 0 };
}

/** Text of a content field: a string, a list of parts, or any JSON. */
export function contentText(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) {
    return content
      .map((part) => (isRecord(part) && (part.type === 'tool_use' || part.type === 'tool_call') ? '' : partText(part)))
      .join('\n')
      .trim();
  }
  return partText(content);
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (isRecord(part)) {
    for (const key of ['text', 'content', 'message', 'output']) if (typeof part[key] === 'string') return part[key];
  }
  return JSON.stringify(part);
}

/** Calls that stand among the parts of a content. */
function contentCalls(content: unknown): Record<string, unknown>[] {
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).filter((part) => part.type === 'tool_use' || part.type === 'tool_call');
}

function nativeCall(call: Record<string, unknown>): ToolCall | null {
  const inner = isRecord(call.function) ? call.function : call;
  const name = inner.name ?? inner.function_name ?? inner.tool ?? inner.tool_name;
  if (typeof name !== 'string') return null;
  return { tool: name, arguments: argumentsOf(inner.arguments ?? inner.args ?? inner.input ?? inner.parameters) };
}
