import { fillTemplate } from '../fill-template.ts';
import type { MiddlewareFactory } from './middleware.ts';

/**
 * Where the answer does not state the value of the last successful call, the value is stated after it. The turn stays no training target: the answer
 * is the loop's, not the model's.
 */
export const answerCommit: MiddlewareFactory<'answer-commit'> = ({ message, mostCharacters }) => {
  let value: string | null = null;
  return {
    afterTool: (outcome) => {
      if (outcome.value !== null && outcome.value.trim() !== '') value = outcome.value.trim();
      return null;
    },
    finish: (answer) => {
      if (value === null || value.length > mostCharacters || states(answer ?? '', value)) return null;
      const committed = fillTemplate(message, { value });
      return { kind: 'use-answer', answer: answer === null ? committed : `${answer}\n${committed}` };
    },
  };
};

/** Whether the text has the value in it as a whole word or number; case, spaces and digit grouping do not count. */
function states(text: string, value: string): boolean {
  const plain = (part: string) =>
    part
      .toLowerCase()
      .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
      .replace(/\s+/g, ' ');
  const wanted = RegExp.escape(plain(value));
  return new RegExp(`(?<![\\p{L}\\d.,-])${wanted}(?![\\p{L}\\d]|[.,]\\d)`, 'u').test(plain(text));
}
