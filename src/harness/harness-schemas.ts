import { z } from 'zod';

const count = (minimum: number) => z.int().min(minimum);

const dialectSchema = z
  .strictObject({
    kind: z.enum(['json', 'tags', 'fenced', 'native']).default('json'),
    open: z.string().default(''),
    close: z.string().default(''),
    body: z.enum(['call', 'arguments', 'argument']).default('call'),
  })
  .refine((dialect) => dialect.kind === 'json' || dialect.kind === 'native' || dialect.open !== '', {
    path: ['open'],
    message: 'expected the text that opens a call (dialect kinds "tags" and "fenced" need it)',
  })
  .refine((dialect) => dialect.kind !== 'tags' || dialect.close !== '', {
    path: ['close'],
    message: 'expected the text that closes a call (dialect kind "tags" needs it)',
  })
  .refine((dialect) => (dialect.kind !== 'json' && dialect.kind !== 'native') || dialect.body === 'call', {
    path: ['body'],
    message: 'expected "call": a bare JSON object or a native call names its tool',
  });

/** harness.yaml. Every field has a default except `name`. */
export const settingsSchema = z.strictObject({
  name: z.string().min(1),
  protocol: z
    .strictObject({
      dialect: dialectSchema.prefault({}),
      toolResultRole: z.enum(['user', 'tool']).default('user'),
      stop: z.array(z.string().min(1)).default([]),
    })
    .prefault({}),
  answer: z.strictObject({ from: z.enum(['text', 'tool']).default('text') }).prefault({}),
  limits: z
    .strictObject({
      turns: count(1).default(4),
      tokensPerTurn: count(1).default(256),
      wallMs: count(1).default(900_000),
    })
    .prefault({}),
  finalTurn: z.boolean().default(true),
  sampling: z
    .strictObject({
      temperature: z.number().min(0).default(0),
      topP: z.number().gt(0).max(1).default(1),
      topK: count(0).default(0),
    })
    .prefault({}),
  votes: count(1).default(1),
  voting: z
    .strictObject({
      weights: z.enum(['equal', 'evidence']).default('equal'),
      stopWhenDecided: z.boolean().default(false),
      atOnce: count(1).nullable().default(null),
    })
    .prefault({}),
  batching: z.strictObject({ inFlight: count(1).nullable().default(null) }).prefault({}),
});

const stepSchema = z
  .strictObject({
    call: z.strictObject({ tool: z.string().min(1), arguments: z.record(z.string(), z.json()) }).optional(),
    result: z.string().optional(),
    text: z.string().optional(),
  })
  .refine((step) => (step.call === undefined) !== (step.text === undefined), {
    message: 'expected either "call" (with or without "result") or "text"',
  })
  .refine((step) => step.result === undefined || step.call !== undefined, {
    path: ['result'],
    message: 'expected only beside a "call"',
  });

/** examples/NAME.yaml. `name` defaults to the file's name. */
export const exampleSchema = z.strictObject({
  name: z.string().min(1).optional(),
  problem: z.string().min(1),
  steps: z.array(stepSchema).min(1),
  fromTasks: z.array(z.string()).default([]),
});

/** tools/NAME/tool.yaml. `name` defaults to the folder's name. */
export const toolSchema = z.strictObject({
  name: z.string().min(1).optional(),
  description: z.string().default(''),
  parameters: z.record(z.string(), z.json()).refine((schema) => schema.type === 'object', {
    path: ['type'],
    message: 'expected "object": arguments are named',
  }),
  backend: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('builtin'), name: z.string().min(1) }),
    z.strictObject({ kind: z.enum(['js', 'python', 'mcp', 'command']), entry: z.string().min(1) }),
    z.strictObject({ kind: z.literal('record') }),
  ]),
  limits: z.strictObject({ wallMs: count(1).default(10_000), outputCharacters: count(1).default(4_000) }).prefault({}),
});

/** memory.yaml; see {@link HarnessMemory} for what each does. */
export const memorySchema = z.strictObject({
  historyTokens: count(1).nullable().default(null),
  evict: z.enum(['oldest', 'largest-result']).default('oldest'),
  staleAfterTurns: count(1).nullable().default(null),
  facts: z.strictObject({ tokens: count(1).default(500) }).prefault({}),
  notes: z.strictObject({ tokens: count(0).default(0) }).prefault({}),
  summary: z.strictObject({ tokens: count(0).default(0) }).prefault({}),
  retrieval: z.strictObject({ passages: count(0).default(0), tokens: count(1).default(200) }).prefault({}),
});

export const retrySchema = z.strictObject({
  parseErrors: count(0).default(2),
  toolErrors: count(0).default(2),
  modelErrors: count(0).default(3),
  toolRuns: count(0).default(0),
  sameFailingCall: count(1).default(3),
  pause: z
    .strictObject({
      firstMs: count(0).default(250),
      factor: z.number().min(1).default(2),
      longestMs: count(0).default(30_000),
    })
    .prefault({}),
});
