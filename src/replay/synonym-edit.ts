import type { Harness } from '../harness/harness.ts';
import type { PatchEdit } from '../harness/patch-edit.ts';

/** Words of instructions, each with one that means the same in their place. */
const SYNONYMS: readonly (readonly [string, string])[] = [
  ['helpful', 'useful'],
  ['solves', 'works out'],
  ['solve', 'work out'],
  ['assistant', 'helper'],
  ['correct', 'right'],
  ['question', 'query'],
];

/** A placebo diff that changes one word of the system prompt to one that means the same; null where no word of it is known. */
export function synonymEdit({ files }: Harness): { title: string; edit: PatchEdit } | null {
  const path = 'prompts/system.md';
  const old = files.get(path) ?? '';
  for (const [word, synonym] of SYNONYMS) {
    const value = old.replace(new RegExp(`\\b${word}\\b`), synonym);
    if (value !== old) return { title: `synonym (${word} → ${synonym})`, edit: { path, old, value } };
  }
  return null;
}
