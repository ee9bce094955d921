import { requireProgram } from '../base/find-program.ts';
import { aiSdkReader } from '../critic/reader/ai-sdk-reader.ts';
import { commandReader } from '../critic/reader/command-reader.ts';
import type { CriticReader } from '../critic/reader/critic-reader.ts';
import { modelReader } from '../critic/reader/model-reader.ts';
import { parseCritic } from '../critic/reader/parse-critic.ts';
import { openAiCompatibleBackend } from '../model/openai-compatible-backend.ts';

/** Environment variable with the key of a critic's server, where it needs one. */
const KEY_VARIABLE = 'CO_HARNESS_CRITIC_KEY';

/**
 * The reader that a `critic` setting names; null for `evidence`. Rejects with CoHarnessError `invalid-critic`, and `program-missing` where the program is not
 * there: its answers would all be refused, and the evidence would stand in for it unasked.
 */
export async function openReader(
  critic: string,
  { timeoutSeconds }: { timeoutSeconds: number },
): Promise<CriticReader | null> {
  const choice = parseCritic(critic);
  if (choice.kind === 'evidence') return null;
  const timeoutMs = timeoutSeconds * 1000;
  if (choice.kind === 'ai-sdk') return aiSdkReader(choice.file, { directory: process.cwd(), timeoutMs });
  if (choice.kind === 'command') {
    requireProgram(choice.command[0], { directory: process.cwd(), field: 'critic' });
    return commandReader({ command: choice.command, timeoutMs });
  }
  const backend = openAiCompatibleBackend({
    url: choice.server.url,
    model: choice.server.model,
    timeoutMs,
    windowTokens: 32_768,
    ...(process.env[KEY_VARIABLE] ? { apiKeyVariable: KEY_VARIABLE } : {}),
  });
  return modelReader(backend, { name: critic });
}
