import { z } from 'zod';
import { linearPatternProblem } from '../base/linear-pattern.ts';
import { nearest } from '../base/nearest.ts';

const count = (minimum: number) => z.int().min(minimum);
const text = z.string().min(1);

/** A pattern as `linearPattern` reads it; null = no such rule. */
export const patternSchema = z.string().refine((source) => linearPatternProblem(source) === null, {
  error: (issue) => `not a pattern: ${linearPatternProblem(String(issue.input))}`,
});

/** Hooks in the order in which a turn meets them. */
export const HOOK_NAMES = ['start', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'finish'] as const;
export type HookName = (typeof HOOK_NAMES)[number];

/**
 * Built-in kinds of middleware with the options each takes. What a kind does stands in src/rollout/middleware/KIND.ts and docs/harness.md;
 * `{{name}}` in a message is a field that the kind fills.
 */
export const MIDDLEWARE_OPTIONS = {
  'loop-breaker': z.strictObject({
    /** Times the same call may run in one rollout. */
    runs: count(1).default(1),
    message: text.default(
      'You made this call before and nothing has changed since. It gave: {{result}}\nGo on with that, or do something else.',
    ),
  }),
  'void-turn-nudge': z.strictObject({
    /** Empty replies that are answered with the message; later ones are taken as they are. */
    nudges: count(1).default(2),
    message: text.default('Your reply was empty. Go on with the task.'),
  }),
  'output-cap': z.strictObject({
    headCharacters: count(0).default(600),
    tailCharacters: count(0).default(300),
  }),
  'answer-commit': z.strictObject({
    message: text.default('The answer is {{value}}'),
    /** A longer value is no answer. */
    mostCharacters: count(1).default(200),
  }),
  'self-check': z.strictObject({
    /** What an answer must contain. */
    pattern: patternSchema.nullable().default(null),
    /** Whether a tool must have returned a value before an answer counts. */
    needsValue: z.boolean().default(false),
    mostCharacters: count(1).nullable().default(null),
    /** Times the model is asked again. */
    asks: count(1).default(1),
    message: text.default('That is not an answer yet: {{problem}}. Try again.'),
  }),
  'argument-repair': z.strictObject({
    /** JSON that lacks closing marks, has trailing commas or the quotes of another language. */
    json: z.boolean().default(true),
    /** Values of another type that mean the same: "5" for 5, one value for a list of one. */
    types: z.boolean().default(true),
    /** One unknown name beside one missing name. */
    names: z.boolean().default(true),
    /** Arguments that the schema does not allow are left out. */
    extras: z.boolean().default(false),
  }),
  'context-trimming': z.strictObject({
    /** Estimated tokens of history above which old results are shortened. */
    aboveTokens: count(1).default(1_000),
    /** Latest exchanges that stay whole. */
    keepExchanges: count(1).default(1),
    /** What stays of each older result. */
    characters: count(0).default(160),
  }),
  'budget-reminder': z.strictObject({
    /** Said once, as soon as at most so many replies are left, the coming one included. */
    turns: count(1).default(2),
    message: text.default('You can write {{turns}} more replies, this one included.'),
  }),
  'verification-turn': z.strictObject({
    /** Answers that are sent back to be checked. */
    times: count(1).default(1),
    message: text.default(
      'Check this answer against the task. Then give the final answer: the same one if it holds, else the corrected one.',
    ),
  }),
  js: z.strictObject({
    /** Code file in the folder middleware/; default: the file of the same name that ends in .js. */
    entry: text.optional(),
    /** Hooks that the code has. */
    hooks: z.array(z.enum(HOOK_NAMES)).default([...HOOK_NAMES]),
    /** Per hook. */
    wallMs: count(1).default(250),
    memoryMegabytes: count(1).default(32),
  }),
} as const;

export type MiddlewareKind = keyof typeof MIDDLEWARE_OPTIONS;
export type MiddlewareOptions<Kind extends MiddlewareKind> = z.output<(typeof MIDDLEWARE_OPTIONS)[Kind]>;
export const MIDDLEWARE_KINDS = Object.keys(MIDDLEWARE_OPTIONS) as MiddlewareKind[];

/** A middleware of φ: its kind and checked options, which belong together. */
export type MiddlewareSettings = {
  [Kind in MiddlewareKind]: { kind: Kind; options: MiddlewareOptions<Kind> };
}[MiddlewareKind];

/** middleware/NN-NAME.yaml: the kind, and options by the kind's own schema. */
export const middlewareSchema = z
  .strictObject({ kind: z.string().min(1), options: z.record(z.string(), z.json()).default({}) })
  .transform(({ kind, options }, context): MiddlewareSettings => {
    if (!isKind(kind)) {
      context.addIssue({
        code: 'custom',
        path: ['kind'],
        message: `unknown kind "${kind}".${hint(kind, MIDDLEWARE_KINDS)}`,
      });
      return z.NEVER;
    }
    const schema: z.ZodObject = MIDDLEWARE_OPTIONS[kind];
    const checked = schema.safeParse(options);
    if (checked.success) return { kind, options: checked.data } as MiddlewareSettings;
    for (const issue of checked.error.issues) {
      const path = ['options', ...issue.path];
      if (issue.code !== 'unrecognized_keys') context.addIssue({ code: 'custom', path, message: issue.message });
      else
        for (const key of issue.keys) {
          const message = `"${kind}" has no such option.${hint(key, Object.keys(schema.shape))}`;
          context.addIssue({ code: 'custom', path: [...path, key], message });
        }
    }
    return z.NEVER;
  });

function isKind(kind: string): kind is MiddlewareKind {
  return Object.hasOwn(MIDDLEWARE_OPTIONS, kind);
}

function hint(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return `${near === undefined ? '' : ` Did you mean "${near}"?`} Known here: ${known.join(', ')}`;
}
