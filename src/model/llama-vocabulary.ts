import type { LlamaModel, Token } from 'node-llama-cpp';
import type { PromptSegment } from './chat-template.ts';
import type { PromptEncoder } from './prefix-property.ts';

/** The tokeniser of a GGUF file. */
export interface LlamaVocabulary extends PromptEncoder {
  /** Spellings of all tokens that act instead of showing. */
  readonly controlTokens: readonly string[];
  readonly bosToken: string;
  readonly eosToken: string;
  /** Text of sampled tokens; a control token shows its spelling. */
  decode(tokens: readonly number[]): string;
  /** Ends the model's turn. */
  isEnd(token: number): boolean;
}

/** Reading tens of thousands of tokens takes longer than opening a context, and adapters share a model. */
const known = new WeakMap<LlamaModel, LlamaVocabulary>();

export function llamaVocabulary(model: LlamaModel): LlamaVocabulary {
  const vocabulary = known.get(model) ?? readVocabulary(model);
  known.set(model, vocabulary);
  return vocabulary;
}

function readVocabulary(model: LlamaModel): LlamaVocabulary {
  const decode = (tokens: readonly number[]) => model.detokenize(tokens as Token[], true);
  const control = new Set<number>();
  const controlTokens: string[] = [];
  for (const token of model.iterateAllTokens()) {
    const attributes = model.getTokenAttributes(token);
    if (!attributes.control && !attributes.unknown) continue;
    control.add(token);
    controlTokens.push(decode([token]));
  }
  return {
    controlTokens,
    bosToken: model.tokens.bosString ?? '',
    eosToken: model.tokens.eosString ?? '',
    encode: (segments) => segments.flatMap((segment, position) => encodeSegment(model, segment, position)),
    decode,
    describe: decode,
    isControl: (token) => control.has(token),
    isEnd: (token) => model.isEogToken(token as Token),
  };
}

function encodeSegment(model: LlamaModel, segment: PromptSegment, position: number): number[] {
  const special = segment.kind === 'markup';
  // Tokenisers of the SentencePiece kind put a space before every text they are given; only the first one has earned it.
  return position === 0
    ? model.tokenize(segment.text, special)
    : model.tokenize(segment.text, special, 'trimLeadingSpace');
}
