import { CoHarnessError } from '../base/errors.ts';
import type { ChatTemplate, PromptSegment } from './chat-template.ts';
import type { ChatMessage } from './model-backend.ts';

const REPLY = 'Probe reply';
const PROBES: readonly (readonly ChatMessage[])[] = [
  [{ role: 'user', content: 'First question' }],
  [
    { role: 'user', content: 'First question' },
    { role: 'assistant', content: 'First reply' },
    { role: 'user', content: 'Second question' },
  ],
];

export interface PromptEncoder {
  encode(segments: readonly PromptSegment[]): number[];
  /** Readable text of tokens, control tokens spelled out. */
  describe(tokens: readonly number[]): string;
  isControl(token: number): boolean;
}

/**
 * Refuses a template whose prompt, generation prompt included, is not an exact token prefix of the same conversation with the reply in
 * it, or which puts control tokens between prompt and reply: there, weights would be trained on role headers, or asked to write
 * them. Throws {@link CoHarnessError} `chat-template-not-prefix-consistent` naming the first differing token.
 */
export function requirePrefixProperty(template: ChatTemplate, encoder: PromptEncoder): void {
  for (const messages of PROBES) {
    const prompt = encoder.encode(template.render(messages, true));
    const complete = encoder.encode(template.render([...messages, { role: 'assistant', content: REPLY }], false));
    const difference = prompt.findIndex((token, index) => token !== complete[index]);
    if (difference !== -1) {
      refuse(
        `token ${difference} is ${quoted(encoder, prompt[difference])} in the prompt but ${quoted(encoder, complete[difference])} once the reply is added`,
        { difference, turns: messages.length },
      );
    }
    const beforeReply = tokensBeforeReply(complete.slice(prompt.length), encoder);
    const header = beforeReply.find((token) => encoder.isControl(token));
    if (header !== undefined) {
      refuse(
        `the control token ${quoted(encoder, header)} stands between the prompt and the reply (is add_generation_prompt ignored?)`,
        {
          header,
          turns: messages.length,
        },
      );
    }
  }
}

function tokensBeforeReply(tokens: readonly number[], encoder: PromptEncoder): readonly number[] {
  for (let length = 1; length <= tokens.length; length++) {
    if (encoder.describe(tokens.slice(0, length)).includes(REPLY.slice(0, 3))) return tokens.slice(0, length);
  }
  return tokens;
}

function quoted(encoder: PromptEncoder, token: number | undefined): string {
  return token === undefined ? 'missing' : JSON.stringify(encoder.describe([token]));
}

function refuse(why: string, details: Record<string, unknown>): never {
  throw new CoHarnessError(
    'chat-template-not-prefix-consistent',
    `The model's chat template cannot be used: ${why}. Prompts must be exact prefixes of the conversation that follows, else training would ` +
      'learn the wrong tokens. Use a model file with another chat template.',
    { details },
  );
}
