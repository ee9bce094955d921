import type { CriticReader, ReaderReply } from './critic-reader.ts';
import type { SubjectPrompt } from './subject-prompt.ts';

/**
 * Asks, and where the reply is refused once more with half the material. Resolves to what became of the replies, one or two of them. Rejects as the reader does.
 * `promptOf`: the prompt of at most so many characters.
 */
export async function askTwice<Reply extends { ok: boolean }>(
  reader: CriticReader,
  promptOf: (characters: number) => SubjectPrompt,
  check: (reply: ReaderReply, prompt: SubjectPrompt) => Reply,
  options: { vote: number; signal?: AbortSignal },
): Promise<Reply[]> {
  const ask = async (prompt: SubjectPrompt) => check(await reader.read(prompt.text, options), prompt);
  const prompt = promptOf(reader.promptCharacters);
  const first = await ask(prompt);
  if (first.ok) return [first];
  const less = prompt.text.length - Math.floor(prompt.subjectCharacters / 2);
  return [first, await ask(promptOf(less))];
}
