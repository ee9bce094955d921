import { readFileSync } from 'node:fs';
import type { CriticSubject } from './critic-subject.ts';
import { type FittedSubject, fitSubject } from './fit-subject.ts';

const FILES = ['instructions.md', 'borders.md', 'worked-examples.md'] as const;

/** The fixed part of every prompt: the files of src/critic/prompts in order. */
export function promptFiles(): string {
  return FILES.map((file) => readFileSync(new URL(`../prompts/${file}`, import.meta.url), 'utf8').trim()).join('\n\n');
}

let fixed: string | undefined;

export interface CriticPrompt extends FittedSubject {
  /** Characters of the subject in `text`. */
  subjectCharacters: number;
}

/** The whole prompt for a subject, of at most `characters` where the fixed part leaves room. */
export function criticPrompt(subject: CriticSubject, characters: number): CriticPrompt {
  fixed ??= promptFiles();
  const room = Math.max(300, characters - fixed.length - 200);
  const fitted = fitSubject(subject, room);
  return {
    ...fitted,
    subjectCharacters: fitted.text.length,
    text: `${fixed}\n\n---\n\n${fitted.text}\n\n---\n\nNow give your diagnosis of this case.\n`,
  };
}
