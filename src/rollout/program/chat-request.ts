import { z } from 'zod';
import type { ChatMessage, Generation, NativeTool, Sampling } from '../../model/model-backend.ts';
import { tokensOf } from '../../model/tokens-of.ts';

const part = z.looseObject({ type: z.literal('text'), text: z.string() });
const content = z
  .union([z.string(), z.array(part).transform((parts) => parts.map(({ text }) => text).join(''))])
  .nullish()
  .transform((text) => text ?? '');
const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string().default('{}') }),
});

/** Body of `POST /v1/chat/completions`, as far as it means something here. */
export const chatRequestSchema = z.looseObject({
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
        content,
        tool_calls: z.array(toolCall).nullish(),
        tool_call_id: z.string().nullish(),
      }),
    )
    .min(1),
  temperature: z.number().min(0).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({
          name: z.string(),
          description: z.string().default(''),
          parameters: z.record(z.string(), z.unknown()).default({ type: 'object', properties: {} }),
        }),
      }),
    )
    .nullish(),
  stream: z.boolean().nullish(),
});
export type ChatRequest = z.output<typeof chatRequestSchema>;

export function messagesOf(request: ChatRequest): ChatMessage[] {
  return request.messages.map((message) => ({
    role: message.role === 'developer' ? 'system' : message.role,
    content: message.content,
    ...(message.tool_calls == null || message.tool_calls.length === 0
      ? {}
      : { calls: message.tool_calls.map((call) => ({ id: call.id, ...call.function })) }),
    ...(message.tool_call_id == null ? {} : { callId: message.tool_call_id }),
  }));
}

export function toolsOf({ tools }: ChatRequest): NativeTool[] {
  return (tools ?? []).map(({ function: { name, description, parameters } }) => ({ name, description, parameters }));
}

/** What the program asks for, else what φ says. */
export function samplingOf(request: ChatRequest, usual: Sampling): Sampling {
  return {
    temperature: request.temperature ?? usual.temperature,
    topP: request.top_p ?? usual.topP,
    topK: request.top_k ?? usual.topK,
  };
}

export function stopsOf({ stop }: ChatRequest): string[] {
  return typeof stop === 'string' ? [stop] : [...(stop ?? [])];
}

/** A `chat.completion` object. */
export function completionOf(generation: Generation, id: string, model: string): Record<string, unknown> {
  const { text, finishReason, usage, calls = [] } = generation;
  const toolCalls = calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const isCut = finishReason === 'length' || finishReason === 'window';
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }) },
        finish_reason: isCut ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: tokensOf(usage),
    },
  };
}

/** The same as server-sent events: one part with everything, for programs that ask for a stream. */
export function streamOf(completion: ReturnType<typeof completionOf>): string {
  const [choice] = completion.choices as [{ message: Record<string, unknown>; finish_reason: string }];
  const { tool_calls: calls, ...message } = choice.message;
  const indexed = Array.isArray(calls) ? { tool_calls: calls.map((call, index) => ({ index, ...call })) } : {};
  const shared = { ...completion, object: 'chat.completion.chunk' };
  const parts = [
    { ...shared, usage: null, choices: [{ index: 0, delta: { ...message, ...indexed }, finish_reason: null }] },
    { ...shared, choices: [{ index: 0, delta: {}, finish_reason: choice.finish_reason }] },
  ];
  return `${parts.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('')}data: [DONE]\n\n`;
}
