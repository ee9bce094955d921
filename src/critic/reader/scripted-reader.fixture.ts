import type { CriticReader, ReaderReply } from './critic-reader.ts';

/** A text that ended by itself. */
export const whole = (text: string): ReaderReply => ({ kind: 'text', text, isComplete: true });

/** A reader that says one thing after the other, then nothing of use, and keeps what it was asked. */
export function scriptedReader(...replies: ReaderReply[]): CriticReader & { prompts: string[] } {
  const prompts: string[] = [];
  return {
    name: 'scripted',
    promptCharacters: 60_000,
    concurrency: 1,
    prompts,
    read: async (prompt) => {
      prompts.push(prompt);
      return replies[prompts.length - 1] ?? whole('nothing');
    },
    close: async () => {},
  };
}
