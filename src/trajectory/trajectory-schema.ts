import { z } from 'zod';
import type { ContentHash } from '../base/content-hash.ts';
import { HOOK_NAMES } from '../harness/middleware-kinds.ts';
import { SPLITS } from '../task/task.ts';
import { MEMORY_ACTIONS, MIDDLEWARE_ACTIONS, OWN_CAUSES, TRAJECTORY_VERSION, TURN_KINDS } from './trajectory.ts';

const hash = z.custom<ContentHash>((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), {
  message: 'expected 64 hexadecimal digits',
});
const count = z.int().min(0);
const tokenIds = z.array(count).optional();
const usageSchema = z.strictObject({
  promptTokens: count,
  completionTokens: count,
  isEstimated: z.literal(true).optional(),
});
const samplingSchema = z.strictObject({ temperature: z.number(), topP: z.number(), topK: z.number() });
const callSchema = z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) });
const boundarySchema = z.enum(['provider', 'sandbox', 'verifier', 'tool', 'middleware', 'memory', 'retry']);
const nativeCallSchema = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });
const messageSchema = z.strictObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  calls: z.array(nativeCallSchema).optional(),
  callId: z.string().optional(),
});

function event<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  return z.strictObject({
    id: z.string(),
    atMs: z.number().min(0),
    vote: count.optional(),
    type: z.literal(type),
    ...fields,
  });
}

const eventSchema = z.discriminatedUnion('type', [
  event('model-called', {
    turn: count,
    turnKind: z.enum(TURN_KINDS),
    messages: z.array(messageSchema),
    sampling: samplingSchema,
    seed: count,
    maxTokens: count,
    stop: z.array(z.string()),
    text: z.string(),
    calls: z.array(nativeCallSchema).optional(),
    offered: z.array(z.string()).optional(),
    finishReason: z.enum(['end', 'stop-text', 'length', 'window']),
    usage: usageSchema,
    promptTokenIds: tokenIds,
    completionTokenIds: tokenIds,
    modelEcho: z.string().optional(),
  }),
  event('call-parsed', { turn: count, call: callSchema, raw: z.string() }),
  event('call-unreadable', { turn: count, raw: z.string(), problem: z.string() }),
  event('no-call', { turn: count }),
  event('tool-refused', { turn: count, call: callSchema, problem: z.string() }),
  event('tool-returned', { turn: count, call: callSchema, value: z.string() }),
  event('tool-failed', { turn: count, call: callSchema, errorType: z.string(), problem: z.string() }),
  event('history-trimmed', { turn: count, droppedMessages: count }),
  event('middleware-acted', {
    turn: count,
    middleware: z.string(),
    kind: z.string(),
    hook: z.enum(HOOK_NAMES),
    action: z.enum(MIDDLEWARE_ACTIONS),
    detail: z.string(),
    setsAside: z.boolean(),
  }),
  event('memory-acted', { turn: count, action: z.enum(MEMORY_ACTIONS), detail: z.string() }),
  event('skill-loaded', { turn: count, skill: z.string(), by: z.enum(['rule', 'call']) }),
  event('retried', {
    turn: count,
    what: z.enum(['model', 'tool']),
    attempt: count,
    pauseMs: z.number().min(0),
    why: z.string(),
  }),
  event('votes-decided', { ran: count, of: count }),
  event('turn-limit-reached', { turn: count }),
  event('wall-limit-reached', { turn: count }),
  event('answered', { from: z.enum(['text', 'tool']), answer: z.string().nullable() }),
  event('fault', { boundary: boundarySchema, problem: z.string() }),
]);

/** A trajectory as it is read back from disk, of this version or of 1, which it contains; see docs/formats.md. */
export const trajectorySchema = z.strictObject({
  version: z.literal([1, TRAJECTORY_VERSION], {
    error: `expected version 1 or ${TRAJECTORY_VERSION}: this record was written by another co-harness`,
  }),
  identity: z.strictObject({
    harness: hash,
    model: z.strictObject({ base: hash, adapter: hash.nullable() }),
    task: hash,
    split: z.enum([...SPLITS, 'eval']),
    repeat: count,
    seed: count,
    verifier: hash,
    sampling: samplingSchema.nullable(),
    runner: hash.optional(),
  }),
  taskId: z.string(),
  group: z.string(),
  problem: z.string(),
  events: z.array(eventSchema),
  answer: z.string().nullable(),
  outcome: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('scored'),
      score: z.number().min(0).max(1),
      extracted: z.string().nullable(),
      why: z.string(),
    }),
    z.strictObject({
      kind: z.literal('unscored'),
      boundary: boundarySchema,
      why: z.string(),
      cause: z.enum(OWN_CAUSES).optional(),
    }),
  ]),
  usage: usageSchema,
  verifierUsage: z.strictObject({ calls: count, ...usageSchema.shape }).optional(),
  wallMs: z.number().min(0),
});
