import type { ModelCall } from '../trajectory/model-calls.ts';

/** Words, and numbers with their fraction. */
const WORD = /\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{N}_]+/gu;

/**
 * How a rollout's completions are put, apart from what they are about: numbers, and words that stand in the conversation before a completion, are replaced
 * by one sign. Rollouts of equal form teach the same step on other values. Free text rarely has equal forms.
 */
export function completionForm(calls: readonly ModelCall[]): string {
  return calls.map(formOf).join('\n');
}

function formOf(call: ModelCall): string {
  const known = new Set(call.messages.flatMap((message) => words(message.content)));
  const written = `${call.text}${call.calls === undefined ? '' : JSON.stringify(call.calls)}`;
  return written.replace(WORD, (word) => (known.has(word) || /^\p{N}/u.test(word) ? '_' : word));
}

function words(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}
