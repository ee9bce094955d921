import { readFileSync } from 'node:fs';
import type { CriticSubject } from './critic-subject.ts';
import { type SubjectPrompt, subjectPrompt } from './subject-prompt.ts';

const FILES = ['instructions.md', 'borders.md', 'worked-examples.md'] as const;

/** The fixed part of every prompt: the files of src/critic/prompts in order. */
export function promptFiles(): string {
  return FILES.map((file) => readFileSync(new URL(`../prompts/${file}`, import.meta.url), 'utf8').trim()).join('\n\n');
}

let fixed: string | undefined;

/** The whole prompt for a subject, of at most `characters` where the fixed part leaves room. */
export function criticPrompt(subject: CriticSubject, characters: number): SubjectPrompt {
  fixed ??= promptFiles();
  return subjectPrompt({ instructions: fixed, subject, request: 'Now give your diagnosis of this case.' }, characters);
}
