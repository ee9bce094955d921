import { z } from 'zod';
import { CoHarnessError } from '../base/errors.ts';
import { checkSchema, type TextOrigin } from '../base/json.ts';
import type { ModelBackend } from '../model/model-backend.ts';
import { parseModelReference } from '../model/model-reference.ts';
import { openAiCompatibleBackend } from '../model/openai-compatible-backend.ts';
import { EXTRACTIONS } from './answer-equivalence/extract-answer.ts';
import { answerVerifier } from './answer-verifier.ts';
import { choiceVerifier } from './choice-verifier.ts';
import { commandVerifier } from './command-verifier.ts';
import { exactVerifier } from './exact-verifier.ts';
import { functionCallVerifier } from './function-call-verifier.ts';
import { jsonVerifier } from './json-verifier.ts';
import { DEFAULT_CRITERION, judgeVerifier } from './judge-verifier.ts';
import { numericVerifier } from './numeric-verifier.ts';
import type { Verifier } from './verifier.ts';

/** How answers are judged, as a config says it. `timeoutMs`: milliseconds per answer. */
export const verifierConfigSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('numeric') }),
  z.strictObject({ kind: z.literal('answer'), extraction: z.enum(EXTRACTIONS).default('any') }),
  z.strictObject({ kind: z.literal('choice'), choices: z.number().int().min(2).max(26).default(10) }),
  z.strictObject({
    kind: z.literal('json'),
    partial: z.boolean().default(false),
    unordered: z.boolean().default(false),
    tolerance: z.number().min(0).default(0),
  }),
  z.strictObject({ kind: z.literal('exact'), ignoreCase: z.boolean().default(false) }),
  z.strictObject({ kind: z.literal('function-calls') }),
  z.strictObject({
    kind: z.literal('command'),
    command: z.tuple([z.string().min(1)], z.string()),
    timeoutMs: z.number().int().positive().default(10_000),
  }),
  z.strictObject({
    kind: z.literal('judge'),
    /** openai:URL#NAME */
    model: z.string(),
    apiKeyVariable: z.string().optional(),
    votes: z.number().int().min(1).max(15).default(3),
    criterion: z.string().min(1).default(DEFAULT_CRITERION),
    sealedTest: z.enum(['refuse', 'allow']).default('refuse'),
    windowTokens: z.number().int().positive().default(32_768),
    concurrency: z.number().int().positive().default(8),
    timeoutMs: z.number().int().positive().default(120_000),
  }),
]);
export const VERIFIER_KINDS = verifierConfigSchema.options.map(({ shape }) => shape.kind.value);
export type VerifierConfig = z.input<typeof verifierConfigSchema>;
/** With every default filled in. */
export type CheckedVerifierConfig = z.output<typeof verifierConfigSchema>;

/** Throws CoHarnessError `invalid-data` that names the field and, for an unknown kind, the known ones; `origin` is the place it names. */
export function checkVerifierConfig(
  config: unknown,
  origin: TextOrigin = { file: 'the verifier configuration' },
): CheckedVerifierConfig {
  return checkSchema(verifierConfigSchema, config, origin);
}

/**
 * The verifier that `config` names. `directory` is the folder that a command runs in. Throws as checkVerifierConfig does, and what names no server to judge.
 */
export function chooseVerifier(config: unknown, directory: string, origin?: TextOrigin): Verifier {
  const checked = checkVerifierConfig(config, origin);
  switch (checked.kind) {
    case 'numeric':
      return numericVerifier();
    case 'answer':
      return answerVerifier(checked);
    case 'choice':
      return choiceVerifier(checked);
    case 'json':
      return jsonVerifier({ partial: checked.partial, unordered: checked.unordered, tolerance: checked.tolerance });
    case 'exact':
      return exactVerifier(checked);
    case 'function-calls':
      return functionCallVerifier();
    case 'command':
      return commandVerifier({ command: checked.command, directory, timeoutMs: checked.timeoutMs });
    case 'judge':
      return judgeVerifier({ ...checked, backend: judgeBackend(checked) });
  }
}

function judgeBackend({ model, ...options }: Extract<CheckedVerifierConfig, { kind: 'judge' }>): ModelBackend {
  const reference = parseModelReference(model);
  if (reference.kind === 'server') {
    const { apiKeyVariable, windowTokens, concurrency, timeoutMs } = options;
    const key = apiKeyVariable === undefined ? {} : { apiKeyVariable };
    const { url, model: name } = reference;
    return openAiCompatibleBackend({ url, model: name, windowTokens, concurrency, timeoutMs, ...key });
  }
  throw new CoHarnessError(
    'invalid-data',
    `verifier.model: ${model} is no server. Serve the judge and write openai:http://HOST:PORT/v1#NAME.`,
    { details: { model } },
  );
}
