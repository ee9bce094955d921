import type { LlamaModel } from 'node-llama-cpp';
import { CoHarnessError, errorMessage } from '../base/errors.ts';
import { compileChatTemplate } from './chat-template.ts';
import { type LlamaVocabulary, llamaVocabulary } from './llama-vocabulary.ts';
import type { ChatMessage } from './model-backend.ts';
import { requirePrefixProperty } from './prefix-property.ts';
import { ProviderError } from './provider-error.ts';

export interface GgufPrompts {
  readonly vocabulary: LlamaVocabulary;
  /** The conversation up to where the model's reply begins. Throws ProviderError `bad-response` where the template refuses it. */
  prepare(messages: readonly ChatMessage[]): { text: string; tokens: number[] };
}

/**
 * Chat template and tokeniser of a GGUF file; the vocabulary alone may be loaded. `chatTemplate` (Jinja) replaces that of the file. Throws
 * {@link CoHarnessError} `chat-template-missing`, `chat-template-unreadable`, `chat-template-not-prefix-consistent`.
 */
export function ggufPrompts(model: LlamaModel, path: string, chatTemplate?: string): GgufPrompts {
  const vocabulary = llamaVocabulary(model);
  const source = chatTemplate ?? model.fileInfo.metadata.tokenizer.chat_template;
  if (source === undefined || source === '') {
    throw new CoHarnessError(
      'chat-template-missing',
      `${path} has no chat template (tokenizer.chat_template). Use an instruction-tuned GGUF file, or give one in the configuration.`,
      { details: { path } },
    );
  }
  const template = compileChatTemplate({ source, ...vocabulary });
  requirePrefixProperty(template, vocabulary);
  return {
    vocabulary,
    prepare: (messages) => {
      try {
        const segments = template.render(messages, true);
        return { text: segments.map(({ text }) => text).join(''), tokens: vocabulary.encode(segments) };
      } catch (cause) {
        throw new ProviderError('bad-response', errorMessage(cause), { cause });
      }
    },
  };
}
