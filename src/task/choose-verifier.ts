import { z } from 'zod';
import { checkSchema, type TextOrigin } from '../base/json.ts';
import { EXTRACTIONS } from './answer-equivalence/extract-answer.ts';
import { answerVerifier } from './answer-verifier.ts';
import { choiceVerifier } from './choice-verifier.ts';
import { commandVerifier } from './command-verifier.ts';
import { exactVerifier } from './exact-verifier.ts';
import { functionCallVerifier } from './function-call-verifier.ts';
import { jsonVerifier } from './json-verifier.ts';
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
]);
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
 * The verifier that `config` names. `directory` is the folder that a command runs in. Throws as checkVerifierConfig does.
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
  }
}
