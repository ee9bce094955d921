import { CoHarnessError } from '../base/errors.ts';
import { findProgram } from '../base/find-program.ts';
import { commandReader } from '../critic/reader/command-reader.ts';
import type { CriticReader } from '../critic/reader/critic-reader.ts';
import { modelReader } from '../critic/reader/model-reader.ts';
import { parseCritic } from '../critic/reader/parse-critic.ts';
import { parseModelReference } from '../model/model-reference.ts';
import { openAiCompatibleBackend } from '../model/openai-compatible-backend.ts';

/** Environment variable with the key of a critic's server, where it needs one. */
const KEY_VARIABLE = 'CO_HARNESS_CRITIC_KEY';

/**
 * The reader that a `critic` setting names; null for `evidence`. Throws CoHarnessError `invalid-critic`, also where the program is not there: its
 * answers would all be refused, and the evidence would stand in for it unasked.
 */
export function openReader(critic: string, { timeoutSeconds }: { timeoutSeconds: number }): CriticReader | null {
  const choice = parseCritic(critic);
  if (choice.kind === 'evidence') return null;
  const timeoutMs = timeoutSeconds * 1000;
  if (choice.kind === 'command') {
    const [program] = choice.command;
    if (findProgram(program) === null)
      throw new CoHarnessError(
        'invalid-critic',
        `The critic's program ${program} is not there: no such file${program.includes('/') ? '' : ' on the PATH'}. Check its name, or give its path: command:/PATH/TO/PROGRAM.`,
        { details: { critic, program } },
      );
    return commandReader({ command: choice.command, timeoutMs });
  }
  const reference = parseModelReference(choice.source);
  if (reference.kind !== 'server') {
    throw new CoHarnessError(
      'invalid-critic',
      `The critic ${choice.source} is no server. Serve the model and write model:openai:http://HOST:PORT/v1#NAME.`,
    );
  }
  const backend = openAiCompatibleBackend({
    url: reference.url,
    model: reference.model,
    timeoutMs,
    windowTokens: 32_768,
    ...(process.env[KEY_VARIABLE] ? { apiKeyVariable: KEY_VARIABLE } : {}),
  });
  return modelReader(backend, { name: critic });
}
