import type { CriticSubject } from './critic-subject.ts';
import { type FittedSubject, fitSubject } from './fit-subject.ts';

export interface SubjectPrompt extends FittedSubject {
  /** Characters of the subject in `text`. */
  subjectCharacters: number;
}

/** Fixed instructions, the subject, and what to do now: at most `characters` where the fixed part leaves room. */
export function subjectPrompt(
  { instructions, subject, request }: { instructions: string; subject: CriticSubject; request: string },
  characters: number,
): SubjectPrompt {
  const room = Math.max(300, characters - instructions.length - 200);
  const fitted = fitSubject(subject, room);
  return {
    ...fitted,
    subjectCharacters: fitted.text.length,
    text: `${instructions}\n\n---\n\n${fitted.text}\n\n---\n\n${request}\n`,
  };
}
