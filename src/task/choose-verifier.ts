import { z } from 'zod';
import { checkSchema, type TextOrigin } from '../base/json.ts';
import { commandVerifier } from './command-verifier.ts';
import { exactVerifier } from './exact-verifier.ts';
import { functionCallVerifier } from './function-call-verifier.ts';
import { numericVerifier } from './numeric-verifier.ts';
import type { Verifier } from './verifier.ts';

/** How answers are judged, as a config says it. `timeoutMs`: milliseconds per answer. */
export const verifierConfigSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('numeric') }),
  z.strictObject({ kind: z.literal('exact'), ignoreCase: z.boolean().default(false) }),
  z.strictObject({ kind: z.literal('function-calls') }),
  z.strictObject({
    kind: z.literal('command'),
    command: z.tuple([z.string().min(1)], z.string()),
    timeoutMs: z.number().int().positive().default(10_000),
  }),
]);
export type VerifierConfig = z.input<typeof verifierConfigSchema>;

/**
 * The verifier that `config` names. `directory` is the folder that a command runs in. Throws CoHarnessError
 * `invalid-data` that names the field and, for an unknown kind, the known ones; `origin` is the place it names.
 */
export function chooseVerifier(
  config: unknown,
  directory: string,
  origin: TextOrigin = { file: 'the verifier configuration' },
): Verifier {
  const checked = checkSchema(verifierConfigSchema, config, origin);
  switch (checked.kind) {
    case 'numeric':
      return numericVerifier();
    case 'exact':
      return exactVerifier(checked);
    case 'function-calls':
      return functionCallVerifier();
    case 'command':
      return commandVerifier({ command: checked.command, directory, timeoutMs: checked.timeoutMs });
  }
}
